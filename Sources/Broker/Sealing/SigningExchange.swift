import Authorization
import Cryptography
import Synchronization
import Vault

/// A use of one object that was begun and waits for the authenticator's signature. It keeps its turn at the TPM, but no
/// thread. It ends once: by the signature, by ``cancel()``, or when its time is over.
final class SigningExchange: Sendable {
    private enum State {
        /// - expiry: the deadline's number; nil while it is being set.
        case open(expiry: UInt64?)
        case ended
    }

    private let use: any PendingUse
    private let thread: SealerThread
    private let state = Mutex(State.open(expiry: nil))

    /// - Parameters:
    ///   - thread: its present turn is this exchange's from now on.
    ///   - time: how long the TPM waits for the signature.
    init(_ use: any PendingUse, on thread: SealerThread, for time: Duration) {
        self.use = use
        self.thread = thread
        let expiry = thread.deadlines.add(after: time) { self.cancel() }
        state.withLock { if case .open = $0 { $0 = .open(expiry: expiry) } }
    }

    /// What the authenticator must sign.
    var request: SigningRequest { use.request }

    /// Uses the object with a signature, and ends the turn.
    ///
    /// - Parameter pin: what the vault's password was made into; nil unless the vault is bound.
    /// - Returns: nil if the exchange had ended before, so that the signature came too late.
    func finish(signature: [UInt8], pin: SecretBytes?) async throws(SealerError) -> SecretBytes? {
        guard end() else { return nil }
        let use = use
        return try await thread.finish { () throws(SealerError) in
            try use.finish(signature: signature, pin: pin)
        }
    }

    /// Ends the turn without a signature. Does nothing if the exchange has ended. Does not wait for the TPM.
    func cancel() {
        guard end() else { return }
        let use = use
        thread.giveUp { use.cancel() }
    }

    /// - Returns: false if it had ended before.
    private func end() -> Bool {
        let former = state.withLock { state in
            defer { state = .ended }
            return state
        }
        guard case .open(let expiry) = former else { return false }
        if let expiry { thread.deadlines.remove(expiry) }
        return true
    }
}
