import Authorization
import BrokerProtocol
import Cryptography
import Varlink
import Vault

extension VaultActor {
    /// Locks the vault. When this returns, the keys are gone and all open challenges are dropped. It does not wait
    /// for the vault's other work. Calls that wait for the vault find it locked.
    ///
    /// - Parameter program: the program that asked for it.
    nonisolated func lock(by program: AccessRecord.Program? = nil) {
        dependencies.lockTimes.note(owner)
        // The challenges go before the keys, because `HeldKeys.unlock` checks the challenge before it stores keys.
        dependencies.challenges.dropAll(about: owner)
        // The leases go after the keys, because `LeaseHandler` adds a lease only while there are keys.
        defer { dependencies.leases.endAll(about: owner) }
        guard held.lock(at: Self.milliseconds) else { return }
        var record = AccessRecord(.lock, by: program)
        record.time = SystemClock.now()
        executor.inTurn { [record] in self.assumeIsolated { $0.noteLock(record) } }
    }

    /// Writes the record of a lock when it is the vault's turn.
    private func noteLock(_ record: AccessRecord) {
        note(record, .anchored)
        // The keys are gone, so nobody has to wait for the counter.
        if open?.vault.isAdvanceDue ?? false { Task { await counting.advance(in: self) } }
    }

    /// Locks a vault that was not used for long. If it is locked already, its challenges go on.
    nonisolated func lockUnused() {
        guard held.isUnlocked, !isCarried.withLock({ $0 }) else { return }
        lock()
    }

    /// Opens the class keys with the unlock root that a signature released.
    /// - Throws: `ChallengeRefused` if the vault was locked while the person was prompted. The lock came later, so it
    ///   counts.
    func unlock(with root: SecretBytes, for challenge: Challenge.ID) async throws(Fault) {
        _ = try await opened()
        guard dependencies.challenges.isOpen(challenge) else { throw Faults.challengeRefused }
        guard let vault = open?.vault else { throw Faults.stopping }
        let keys: ClassKeys
        do throws(VaultError) { keys = try vault.classKeys(unlockRoot: root) } catch { throw noting(Fault(error)) }
        guard held.unlock(keys, at: Self.milliseconds, if: { dependencies.challenges.isOpen(challenge) }) else {
            throw Faults.challengeRefused
        }
        noteCarrying()
    }

    /// Refuses to go on with a vault whose file was replaced while it was open. Nothing can be stored in it.
    func checkFile() throws(Fault) {
        guard let open else { return }
        try step { () throws(VaultError) in try open.vault.checkFile() }
    }

    /// Notes whether want of use locks the vault. Call this when it was opened, and when it begins or ends to share.
    func noteCarrying() {
        guard let open else { return }
        // `try?`: a vault that cannot be read is locked like any other.
        let isCarried = open.record.isService && (try? open.vault.hasCircle) ?? false
        self.isCarried.withLock { $0 = isCarried }
    }

    /// For people: the state, since when, and the number of items if that is known without opening anything.
    func state() throws(Fault) -> Keychain.VaultState {
        let condition = try condition()
        let record = condition == .none ? nil : try record()
        let items: Int64?
        let isUncounted = open?.vault.isUnprotected ?? false
        do throws(VaultError) {
            items = try open.map { (state) throws(VaultError) in Int64(try state.vault.count) }
        } catch { throw noting(Fault(error)) }
        switch open?.lock {
        case .locked(let since), .unlocked(let since):
            return Self.state(condition, since: since, items: items, record, isUncounted: isUncounted)
        case .sealed, nil:
            return Self.state(condition, since: nil, items: items, record, isUncounted: isUncounted)
        }
    }

    /// The state of a locked vault, without waiting for its other work. It does not tell the number of items.
    ///
    /// - Returns: nil if the vault is not locked, for example if it is sealed.
    nonisolated func lockedState() throws(Fault) -> Keychain.VaultState? {
        guard case .locked(let since) = held.lock,
            let record = try VaultOpener(owner: owner, dependencies: dependencies).registered()
        else { return nil }
        return Self.state(.locked, since: since, items: nil, record)
    }

    private static func state(
        _ condition: VaultCondition, since: Int64?, items: Int64?, _ record: RegistryRecord?,
        isUncounted: Bool = false
    ) -> Keychain.VaultState {
        Keychain.VaultState(
            state: condition, since: since, items: items, bound: record?.binding == nil ? nil : true,
            boot: record?.boot.map { $0.registers.map { Int64($0) } },
            counter: (record?.counter?.handle).map { Int64($0) }, protected: isUncounted ? false : nil,
            service: record?.isService == true ? true : nil)
    }
}
