import Authorization
import Cryptography
import Dispatch
import Synchronization
import Vault

/// Brings an authenticator's signature to the sealer that waits for it with an open session, and the sealer's outcome back. For one use of one object.
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

    /// - Parameter patience: how long the TPM is kept waiting for a signature.
    init(patience: Duration) { self.patience = .milliseconds(Int(patience / .milliseconds(1))) }

    /// Called by the sealer, on its thread: hands the request on and waits for the signature.
    func sign(_ request: SigningRequest) throws(SigningRefusal) -> [UInt8] { try prove(request).signature }

    /// The same for a bound vault: with the signature comes what its password was made into.
    func prove(_ request: SigningRequest) throws(SigningRefusal) -> BoundProof {
        let waiter = state.withLock { state in
            state.request = request
            defer { state.requestWaiter = nil }
            return state.requestWaiter
        }
        waiter?.resume(returning: .success(request))
        _ = arrival.wait(timeout: .now() + patience)
        let proof = state.withLock { state in
            // From here on a signature comes too late.
            state.isCancelled = state.isCancelled || state.proof == nil
            return state.isCancelled ? nil : state.proof
        }
        guard let proof else { throw SigningRefusal() }
        return proof
    }

    /// What is to be signed, or why the sealer did not get that far.
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

    /// - Returns: false when nobody waits for a signature, or one was there already.
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

    /// The sealer is done.
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

    /// There will be no signature: the sealer lets go of its session at once.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        arrival.signal()
    }
}
