import Authorization
import Cryptography

/// Keeping file and counter together: the file goes ahead by one step, and the next is not taken before the counter has followed
/// (docs/vault-format.md, "Epoch and counter").
extension OpenVault {
    /// Whether an older copy of the file would be noticed.
    public var isCounted: Bool { epochs.withLock { $0 != nil } }

    /// The file's epoch.
    public var epoch: UInt64 { lastHeader.epoch }

    /// Whether the counter has still to follow the file.
    public var isAhead: Bool { epochs.withLock { $0.map { $0.counted < lastHeader.epoch } ?? false } }

    /// Whether items were written since the epoch last moved: so far an older copy would not be noticed.
    public var isAdvanceDue: Bool { isCounted && lastHeader.isAdvanceDue }

    /// The epoch that the counter stands for; nil where nothing counts.
    public var countedEpoch: UInt64? { epochs.withLock { $0?.counted } }

    /// Whether changes that must not be taken back leave their step to the next ``advanceEpoch()``, which then takes in all of them; until the counter has followed
    /// that, an older copy of the file takes them back. Otherwise each takes its step itself.
    public func leaveSteps(_ leaves: Bool) {
        epochs.withLock {
            $0?.leavesSteps = leaves
            $0?.hasLeftStep = false
        }
    }

    /// Whether a change has left its step since ``leaveSteps(_:)``.
    public var hasLeftStep: Bool { epochs.withLock { $0?.hasLeftStep ?? false } }

    /// Whether this run has taken its first step, or has to take none.
    public var hasBegun: Bool { epochs.withLock { $0.map { $0.begun != nil } ?? true } }

    /// Takes this run's first step, which changes nothing else: what a crash of an earlier run left is behind the counter from the second on. The
    /// counter has to follow.
    ///
    /// - Throws: `.uncounted` where the counter has to follow first; `.damaged`, `.storage`.
    public func begin() throws(VaultError) {
        guard !hasBegun else { return }
        guard !isAhead else { throw .uncounted }
        try write(.firstStep) { (_) throws(VaultError) in }
        let epoch = epoch
        epochs.withLock { $0?.begin(at: epoch) }
    }

    /// Moves the epoch for the sake of what was changed since it last moved. The counter has to follow.
    ///
    /// - Throws: `.uncounted` where that, or the first step, comes first; `.damaged`, `.storage`.
    public func advanceEpoch() throws(VaultError) {
        guard isAdvanceDue else { return }
        try write(.advanceEpoch) { (change) throws(VaultError) in try change.moveEpoch() }
    }

    /// Has the counter follow the file. Talks to the sealer on the calling thread.
    ///
    /// - Throws: `.counterGone` where somebody else has counted, too; what the sealer throws.
    public func count(with sealer: any Sealer) throws(SealerError) {
        guard isAhead else { return }
        let epoch = epoch
        let found = try sealer.count(to: epoch, most: 1, password: keys.counter, record: record)
        guard found == epoch else {
            throw SealerError(.counterGone, "the TPM's counter for this vault was moved by somebody else")
        }
        epochs.withLock { $0?.wasCounted(to: epoch) }
    }

    /// What an opening does about the counter, with a file whose header was found good.
    ///
    /// - Returns: nil where nothing counts.
    static func reconcile(
        _ header: Header, counted: UInt64?, keys: VaultKeys, record: RegistryRecord, sealer: any Sealer
    ) throws(VaultError) -> EpochCount? {
        guard let counted else { return nil }
        switch EpochStanding(file: header.epoch, counter: counted) {
        case .even: return EpochCount(counted: counted)
        case .ahead:
            do throws(SealerError) {
                let found = try sealer.count(to: header.epoch, most: 1, password: keys.counter, record: record)
                guard found == header.epoch else { throw SealerError(.counterGone, "the TPM's counter was moved") }
            } catch { throw VaultError(error, of: record) }
            return EpochCount(counted: header.epoch)
        case .older:
            throw .rollback(
                "this is an older copy of the vault's file: it lacks changes that the TPM has counted", record)
        case .uncounted:
            throw .rollback(
                "the TPM has not counted what this vault's file has: the TPM was put back to an earlier state", record)
        }
    }

    /// How many steps a counter is brought forward at most to be beyond a file that is accepted.
    private static let mostStepsToAccept: UInt64 = 4096

    /// Brings the counter to where no copy of the vault's file was ever, made again where it is gone.
    ///
    /// - Parameter counted: what it stands for; nil where it is gone.
    /// - Returns: the epoch that the file is to have.
    static func leaveBehind(
        _ header: Header, counted: UInt64?, keys: VaultKeys, record: RegistryRecord, sealer: any Sealer
    ) throws(SealerError) -> UInt64 {
        let counted =
            if let counted { counted } else {
                try sealer.remakeCounter(password: keys.counter, record: record)
            }
        // A copy of what was stopped before it was counted is one step ahead of the counter, never two.
        let (epoch, isTooMuch) = max(header.epoch, counted).addingReportingOverflow(2)
        guard !isTooMuch else { throw SealerError(.damaged, "the vault's epoch is more than a counter can count") }
        let found = try sealer.count(
            to: epoch, most: mostStepsToAccept, password: keys.counter, record: record)
        guard found == epoch else {
            throw SealerError(.other, "the TPM's counter is too far behind this file to be brought forward")
        }
        return epoch
    }
}

extension VaultError {
    /// A change that moves the epoch while the counter has still to follow: nothing was changed.
    static var uncounted: VaultError { VaultError(.uncounted, "the vault's counter has to follow first") }

    /// A file that is not the one that the counter stands for, with what its owner and root can do.
    static func rollback(_ what: String, _ record: RegistryRecord, cause: (any Error)? = nil) -> VaultError {
        let name =
            switch record.owner {
            case .user: "--user \(record.ownerName)"
            case .group: "--group \(record.ownerName)"
            }
        return VaultError(
            .rollback,
            "\(what); put the newest file back and restart cofferd, or take out what this one holds with: coffer "
                + "recovery restore, or have root accept it as it is with: coffer vault accept \(name)",
            cause: cause)
    }

    /// What the sealer met on the way to a vault.
    public init(_ error: SealerError, of record: RegistryRecord) {
        guard error.code == .counterGone else {
            self.init(error)
            return
        }
        self = .rollback(
            error.reason + ": whether this is an older copy of the vault's file cannot be told", record, cause: error)
    }
}
