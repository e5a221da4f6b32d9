import Authorization
import BrokerProtocol
import Cryptography
import FoundationEssentials
import Varlink
import Vault

extension VaultActor {
    /// Locks: the keys are gone and all open questions are dropped before this returns. It does not wait for what the vault is busy with; calls that wait for
    /// the vault find it locked.
    ///
    /// - Parameter program: who asked for it.
    nonisolated func lock(by program: AccessRecord.Program? = nil) {
        dependencies.lockTimes.note(owner)
        // Before the keys: who puts keys there looks for the question.
        dependencies.challenges.dropAll(about: owner)
        guard held.lock(at: Self.milliseconds) else { return }
        var record = AccessRecord(.lock, by: program)
        record.time = SystemClock.now()
        executor.inTurn { [record] in self.assumeIsolated { $0.noteLock(record) } }
    }

    /// What a lock leaves to be written, when it is the vault's turn.
    private func noteLock(_ record: AccessRecord) {
        note(record, .anchored)
        // The keys are gone; nobody has to wait for the counter.
        if open?.vault.isAdvanceDue ?? false { Task { await advanceEpoch() } }
    }

    /// Locks for want of use. What a person is being asked for a locked vault goes on.
    nonisolated func lockUnused() {
        guard held.isUnlocked else { return }
        lock()
    }

    /// Opens the class keys with the unlock root that a signature released.
    /// - Throws: `ChallengeRefused` when the vault was locked while the person was asked: the later word counts.
    func unlock(with root: SecretBytes, for challenge: Challenge.ID) async throws(Fault) {
        _ = try await opened()
        guard dependencies.challenges.isOpen(challenge) else { throw Faults.challengeRefused }
        guard let vault = open?.vault else { throw Faults.stopping }
        let keys: ClassKeys
        do throws(VaultError) { keys = try vault.classKeys(unlockRoot: root) } catch { throw noting(Fault(error)) }
        guard held.unlock(keys, at: Self.milliseconds, if: { dependencies.challenges.isOpen(challenge) }) else {
            throw Faults.challengeRefused
        }
    }

    /// For people: the state, since when, and how many items where that is known without opening anything.
    func state() throws(Fault) -> Keychain.VaultState {
        let condition = try condition()
        let record = condition == .none ? nil : try record()
        let items: Int64?
        do throws(VaultError) {
            items = try open.map { (state) throws(VaultError) in Int64(try state.vault.count) }
        } catch { throw noting(Fault(error)) }
        switch open?.lock {
        case .locked(let since), .unlocked(let since):
            return Self.state(condition, since: since, items: items, record)
        case .sealed, nil:
            return Self.state(condition, since: nil, items: items, record)
        }
    }

    /// The same of a vault that was locked, without waiting for what it is busy with; how many items there are stays unsaid.
    ///
    /// - Returns: nil where it is not locked, but sealed, say.
    nonisolated func lockedState() throws(Fault) -> Keychain.VaultState? {
        guard case .locked(let since) = held.lock,
            let record = try VaultOpener(owner: owner, dependencies: dependencies).registered()
        else { return nil }
        return Self.state(.locked, since: since, items: nil, record)
    }

    private static func state(
        _ condition: VaultCondition, since: Int64?, items: Int64?, _ record: RegistryRecord?
    ) -> Keychain.VaultState {
        Keychain.VaultState(
            state: condition, since: since, items: items, bound: record?.binding == nil ? nil : true,
            boot: record?.boot.map { $0.registers.map { Int64($0) } },
            counter: (record?.counter?.handle).map { Int64($0) })
    }
}
