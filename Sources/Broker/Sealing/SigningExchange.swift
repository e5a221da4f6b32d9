import Authorization
import Cryptography
import Dispatch
import Synchronization
import Vault

/// Passes an authenticator's signature to the sealer, which waits for it with an open session, and passes the outcome
/// back. Each exchange is for one use of one object.
final class SigningExchange: Sendable {
    typealias Outcome = Result<SecretBytes, SealerError>

    private let patience: DispatchTimeInterval

    private struct State {
        var request: SigningRequest?
        var proof: BoundProof?
        var isCancelled = false
        var outcome: Outcome?
        var requestWaiter: CheckedContinuation<Result<SigningRequest, SealerError>, Never>?
        var outcomeWaiter: CheckedContinuation<Outcome, Never>?
    }

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    /// - Parameter patience: how long the TPM waits for a signature.
    init(patience: Duration) { self.patience = .milliseconds(Int(patience / .milliseconds(1))) }

    /// The sealer calls this on its thread. It passes on the request and waits for the signature.
    func sign(_ request: SigningRequest) throws(SigningRefusal) -> [UInt8] { try prove(request).signature }

    /// The same for a bound vault. The signature comes with the PIN derived from the vault's password.
    func prove(_ request: SigningRequest) throws(SigningRefusal) -> BoundProof {
        let waiter = state.withLock { state in
            state.request = request
            defer { state.requestWaiter = nil }
            return state.requestWaiter
        }
        waiter?.resume(returning: .success(request))
        _ = arrival.wait(timeout: .now() + patience)
        let proof = state.withLock { state in
            // From here on, a signature is too late.
            state.isCancelled = state.isCancelled || state.proof == nil
            return state.isCancelled ? nil : state.proof
        }
        guard let proof else { throw SigningRefusal() }
        return proof
    }

    /// What is to be signed, or the error that stopped the sealer before.
    func request() async -> Result<SigningRequest, SealerError> {
        await withCheckedContinuation { continuation in
            let known: Result<SigningRequest, SealerError>? = state.withLock { state in
                if let request = state.request { return .success(request) }
                if case .failure(let error) = state.outcome { return .failure(error) }
                state.requestWaiter = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// - Returns: false if nobody waits for a signature, or there was one already.
    func provide(_ signature: [UInt8], pin: SecretBytes? = nil) -> Bool {
        let isTaken = state.withLock { state in
            guard state.request != nil, state.proof == nil, !state.isCancelled, state.outcome == nil else {
                return false
            }
            state.proof = BoundProof(signature: signature, pin: pin)
            return true
        }
        if isTaken { arrival.signal() }
        return isTaken
    }

    func outcome() async -> Outcome {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state in
                if state.outcome == nil { state.outcomeWaiter = continuation }
                return state.outcome
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Call this when the sealer is done.
    func finish(_ outcome: Outcome) {
        let (request, waiter) = state.withLock { state in
            state.outcome = outcome
            defer {
                state.requestWaiter = nil
                state.outcomeWaiter = nil
            }
            return (state.requestWaiter, state.outcomeWaiter)
        }
        waiter?.resume(returning: outcome)
        switch outcome {
        case .failure(let error): request?.resume(returning: .failure(error))
        case .success: request?.resume(returning: .failure(SealerError(.other, "the sealer asked for no signature")))
        }
    }

    /// Call this if there will be no signature. The sealer then ends its session at once.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        arrival.signal()
    }
}
