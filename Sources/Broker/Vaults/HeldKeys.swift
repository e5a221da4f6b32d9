import Synchronization
import Vault

/// What a lock takes away: a vault's class keys, that it is unlocked, and a recovery code that was given out. The vault's actor puts it here and looks here
/// whenever it needs it; a lock empties it from any thread, whatever the actor is busy with, and waits for nobody.
final class HeldKeys: Sendable {
    private struct State {
        /// nil: only what can be read without any unlocking.
        var keys: ClassKeys?
        var lock = VaultActor.LockState.sealed
        var code: UnconfirmedCode?
    }

    private let state = Mutex(State())

    /// Those of this moment; nil for only what can be read without any unlocking. Not to be kept.
    var keys: ClassKeys? { state.withLock { $0.keys } }

    var lock: VaultActor.LockState { state.withLock { $0.lock } }

    var isUnlocked: Bool { if case .unlocked = lock { true } else { false } }

    /// The recovery code that was shown last, until a part of it came back.
    var code: UnconfirmedCode? {
        get { state.withLock { $0.code } }
        set { state.withLock { $0.code = newValue } }
    }

    /// What came back was another part than the one that was asked for. A code that a lock has taken away meanwhile stays away.
    func noteWrongPart() {
        state.withLock { state in
            guard let code = state.code else { return }
            state.code?.tries += 1
            if code.tries + 1 >= UnconfirmedCode.mostTries { state.code = nil }
        }
    }

    /// Takes keys up.
    ///
    /// - Parameter isWanted: whether the person's question is still open. A lock ends the questions before it empties this: asked here, no lock comes between
    ///   the answer and the keys.
    /// - Returns: whether they were taken up.
    func unlock(_ keys: ClassKeys, at time: Int64, if isWanted: () -> Bool) -> Bool {
        state.withLock { state in
            guard isWanted() else { return false }
            state.keys = keys
            if case .unlocked = state.lock {} else { state.lock = .unlocked(since: time) }
            return true
        }
    }

    /// Wipes. What can be read while the vault is locked stays.
    ///
    /// - Returns: whether the vault was unlocked.
    func lock(at time: Int64) -> Bool {
        state.withLock { state in
            state.code = nil
            guard case .unlocked = state.lock else { return false }
            state.keys = state.keys?.locked()
            state.lock = .locked(since: time)
            return true
        }
    }

    /// Another vault is open, or none: these were not its keys.
    func seal() {
        state.withLock { state in
            state.keys = nil
            state.lock = .sealed
        }
    }
}
