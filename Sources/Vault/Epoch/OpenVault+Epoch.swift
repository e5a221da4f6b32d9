import Authorization
import Cryptography
import TPM

/// Keeps file and counter together. The file goes ahead by one step, and takes the next only after the counter has
/// followed (docs/vault-format.md, "Epoch and counter").
extension OpenVault {
    /// Whether Coffer would notice an older copy of the file.
    public var isCounted: Bool { epochs.withLock { $0 != nil } }

    /// The file's epoch.
    public var epoch: UInt64 { lastHeader.epoch }

    /// Whether the counter must still follow the file.
    public var isAhead: Bool { epochs.withLock { $0.map { $0.counted < lastHeader.epoch } ?? false } }

    /// Whether items were written since the epoch last advanced. Until it advances, an older copy without them goes
    /// unnoticed.
    public var isAdvanceDue: Bool { isCounted && lastHeader.advanceDue > .nothing }

    /// Whether a change that must not be rolled back has left its step, which was not taken yet.
    public var isStepDue: Bool { isCounted && lastHeader.advanceDue == .step }

    /// Whether an older copy of the file can still undo a change that was acknowledged as not protected.
    public var isUnprotected: Bool { isStepDue || epochs.withLock { $0.map { $0.counted < $0.owed } ?? false } }

    /// The epoch that the counter has reached; nil if the vault has no counter.
    public var countedEpoch: UInt64? { epochs.withLock { $0?.counted } }

    /// Sets whether changes that must not be rolled back leave their step to the next ``advanceEpoch()``, which then
    /// covers all of them. Until the counter has followed that step, an older copy of the file can undo them. Otherwise
    /// each change takes its own step.
    public func leaveSteps(_ leaves: Bool) {
        epochs.withLock {
            $0?.leavesSteps = leaves
            $0?.leftStep = nil
        }
    }

    /// How long the changes since ``leaveSteps(_:)`` that have left their step wait for it; nil if none has left one.
    public var leftStep: CounterWait? { epochs.withLock { $0?.leftStep } }

    /// Whether this run has taken its first step, or needs none.
    public var hasBegun: Bool { epochs.withLock { $0.map { $0.begun != nil } ?? true } }

    /// Takes this run's first step, which changes nothing else. From the second step on, leftovers of an earlier run's
    /// crash are behind the counter. The counter must follow afterwards.
    ///
    /// - Throws: `.uncounted` if the counter must follow an earlier step first; `.damaged`; `.storage`.
    public func begin() throws(VaultError) {
        guard !hasBegun else { return }
        guard !isAhead else { throw .uncounted }
        try write(.firstStep) { (_) throws(VaultError) in }
        let epoch = epoch
        epochs.withLock { $0?.begin(at: epoch) }
    }

    /// Advances the epoch for all changes since it last advanced. The counter must follow afterwards.
    ///
    /// - Throws: `.uncounted` if the counter must follow first, or the first step is missing; `.damaged`; `.storage`.
    public func advanceEpoch() throws(VaultError) {
        guard isAdvanceDue else { return }
        try write(.advanceEpoch) { (change) throws(VaultError) in try change.moveEpoch() }
    }

    /// Takes the step that an earlier run has left for a change that it may have acknowledged. Before this, an older copy
    /// without that change opens as well as this file.
    func takeLeftStep(with sealer: any Sealer) throws(VaultError) {
        guard isStepDue else { return }
        try begin()
        try countNow(with: sealer)
        try advanceEpoch()
        try countNow(with: sealer)
    }

    private func countNow(with sealer: any Sealer) throws(VaultError) {
        do throws(SealerError) { try count(with: sealer) } catch { throw VaultError(error, of: record) }
    }

    /// Makes the counter follow the file. Calls the sealer on the calling thread.
    ///
    /// - Throws: `.counterGone` if somebody else has moved the counter too; any error of the sealer.
    public func count(with sealer: any Sealer) throws(SealerError) {
        guard isAhead else { return }
        let epoch = epoch
        let found = try sealer.requireCounting().count(to: epoch, most: 1, password: keys.counter, record: record)
        guard found == epoch else {
            throw SealerError(.counterGone, "something other than Coffer advanced the TPM's counter for this vault")
        }
        epochs.withLock { $0?.wasCounted(to: epoch) }
    }

    /// Compares the counter with a file whose header is authentic, as the vault is opened.
    ///
    /// - Returns: nil if the vault has no counter.
    static func reconcile(
        _ header: Header, counted: UInt64?, keys: VaultKeys, record: RegistryRecord, sealer: any Sealer
    ) throws(VaultError) -> EpochCount? {
        guard let counted else { return nil }
        switch EpochStanding(file: header.epoch, counter: counted) {
        case .even: return EpochCount(counted: counted)
        case .ahead:
            do throws(SealerError) {
                let found = try sealer.requireCounting().count(
                    to: header.epoch, most: 1, password: keys.counter, record: record)
                guard found == header.epoch else {
                    throw SealerError(.counterGone, "something other than Coffer advanced the TPM's counter")
                }
            } catch { throw VaultError(error, of: record) }
            return EpochCount(counted: header.epoch)
        case .older:
            throw .rollback(
                "this is an older copy of the vault's file: it lacks changes that the TPM has counted", record)
        case .uncounted:
            throw .rollback(
                "this vault's file has changes that the TPM has not counted: the TPM was put back to an earlier state",
                record)
        }
    }

    /// Refuses an acceptance that would take the TPM's index of another vault. Changes nothing. Keys that never open are no
    /// obstacle: the items of class `always` can still be read.
    ///
    /// - Parameter counted: the counter's value; nil if the counter is gone.
    static func requireAcceptable(
        _ record: RegistryRecord, counted: UInt64?, sparing registry: Registry
    ) throws(VaultError) {
        // A counter that is there has this vault's password, so it is not another's.
        guard counted == nil, let counter = record.counter else { return }
        let isOthers: Bool
        do throws(RegistryError) {
            isOthers = try registry.namedIndexes().has(handle: counter.handle, besides: record.vault)
        } catch {
            throw VaultError(
                .storage, "the registry does not say which of the TPM's indexes other vaults need: \(error.reason)",
                advice: error.advice.isEmpty ? "have root mend the registry first" : error.advice, cause: error)
        }
        guard !isOthers else {
            throw VaultError(
                SealerError(
                    .other,
                    "the TPM's counter of this vault is gone, and another vault's record names its place in the TPM",
                    advice: RecoveryAdvice.newestOrSetAside))
        }
    }

    /// Moves the counter past every copy of the vault's file that ever was. Makes a new counter if the old one is gone.
    ///
    /// - Parameter counted: the counter's value; nil if the counter is gone.
    /// - Returns: the epoch that the file must have.
    static func leaveBehind(
        _ header: Header, counted: UInt64?, keys: VaultKeys, record: RegistryRecord, sealer: any Sealer
    ) throws(SealerError) -> UInt64 {
        let counted =
            if let counted { counted } else {
                try sealer.requireCounting().remakeCounter(password: keys.counter, record: record)
            }
        // A copy whose last step was never counted is one step ahead of the counter, never two.
        let (epoch, isTooMuch) = max(header.epoch, counted).addingReportingOverflow(2)
        guard !isTooMuch else { throw SealerError(.damaged, "the vault's epoch is larger than a counter can be") }
        let found = try sealer.requireCounting().count(
            to: epoch, most: VaultLimits.stepsToAccept, password: keys.counter, record: record)
        guard found == epoch else {
            throw SealerError(
                .other, "the TPM's counter is too far behind this file to be brought forward",
                advice: RecoveryAdvice.newestOrSetAside)
        }
        return epoch
    }
}

extension VaultError {
    /// Refuses a change that would advance the epoch before the counter has followed. Nothing was changed.
    static var uncounted: VaultError {
        VaultError(.uncounted, "the TPM must count the last change first", advice: "try again in a moment")
    }

    /// The file does not match the counter. The advice tells what the owner and root can do.
    static func rollback(_ what: String, _ record: RegistryRecord, cause: (any Error)? = nil) -> VaultError {
        let name =
            switch record.owner {
            case .user: "--user \(record.ownerName)"
            case .group: "--group \(record.ownerName)"
            }
        return VaultError(
            .rollback,
            what,
            advice:
                "put the newest file back and restart cofferd; if that file is lost, have root accept this one with: "
                + "coffer vault accept \(name), or set it aside with: coffer vault set-aside \(name), and restore its "
                + "secrets with: coffer recovery restore FILE",
            cause: cause)
    }

    /// Translates an error of the sealer that came up while opening a vault.
    public init(_ error: SealerError, of record: RegistryRecord) {
        guard error.code == .counterGone else {
            self.init(error)
            return
        }
        self = .rollback(
            error.reason + ", so Coffer cannot tell whether the vault's file is an older copy", record, cause: error)
    }
}
