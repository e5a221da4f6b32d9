import BrokerProtocol
import Cryptography
import FoundationEssentials
import Vault

extension VaultKeeper {
    /// Locks: the keys are gone and all open questions are dropped before this returns.
    /// - Parameter program: who asked for it.
    func lock(by program: AccessRecord.Program? = nil) {
        ground.lockTimes.note(owner)
        ground.challenges.dropAll(about: owner)
        unconfirmedCode = nil
        guard var state = open, case .unlocked = state.lock else { return }
        state.keys = state.keys.locked()
        state.lock = .locked(since: Self.now)
        open = state
        note(AccessRecord(.lock, by: program), .anchored)
        // The keys are gone; nobody has to wait for the counter.
        if state.vault.isUnfolded { Task { await fold() } }
    }

    var isUnlocked: Bool { if case .unlocked = open?.lock { true } else { false } }

    /// Locks for want of use. What a person is being asked for a locked vault goes on.
    func lockUnused() {
        guard case .unlocked = open?.lock else { return }
        lock()
    }

    /// Opens the class keys with the unlock root that a signature released.
    /// - Throws: `ChallengeRefused` when the vault was locked while the person was asked: the later word counts.
    func unlock(with root: SecretBytes, for challenge: Challenge.ID) async throws(Fault) {
        _ = try await opened()
        guard ground.challenges.isOpen(challenge) else { throw Faults.challengeRefused }
        guard var state = open else { throw Faults.stopping }
        do throws(VaultError) {
            state.keys = try state.vault.classKeys(unlockRoot: root)
        } catch { throw noting(Fault(error)) }
        if case .unlocked = state.lock {} else { state.lock = .unlocked(since: Self.now) }
        open = state
    }

    /// For people: the state, since when, and how many items where that is known without opening anything.
    func state() throws(Fault) -> Keychain.VaultState {
        let condition = try condition()
        let record = condition == .none ? nil : try record()
        let bound: Bool? = record?.binding == nil ? nil : true
        let boot = record?.boot.map { $0.registers.map { Int64($0) } }
        let counter = condition == .none ? nil : try counter().map { Int64($0) }
        let items: Int64?
        do throws(VaultError) {
            items = try open.map { (state) throws(VaultError) in Int64(try state.vault.count) }
        } catch { throw noting(Fault(error)) }
        switch open?.lock {
        case .locked(let since), .unlocked(let since):
            return Keychain.VaultState(
                state: condition, since: since, items: items, bound: bound, boot: boot, counter: counter)
        case .sealed, nil:
            return Keychain.VaultState(state: condition, items: items, bound: bound, boot: boot, counter: counter)
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
