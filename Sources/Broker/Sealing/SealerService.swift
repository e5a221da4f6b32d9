import Authorization
import Cryptography
import Vault

/// The sealer as the broker uses it. Each use waits for its turn at the one thread that may block. No use blocks its
/// caller.
struct SealerService: Sendable {
    private let sealer: any Sealer
    private let thread: SealerThread

    /// - Parameter patience: the time from a request to an answer or an error.
    init(_ sealer: any Sealer, patience: Duration = .seconds(10), clock: BrokerClock = .system) {
        self.sealer = sealer
        thread = SealerThread(patience: patience, clock: clock)
    }

    var kind: SealerKind { sealer.kind }

    /// What reads sealed objects without the TPM, and so without a turn.
    var reader: any SealedObjectReader { sealer }

    /// Runs a use on the sealer's thread, in its turn.
    ///
    /// - Parameters:
    ///   - limit: the time from the request to an answer or an error; nil for the usual time.
    ///   - undo: gets a result that came too late for its caller; runs on the sealer's thread.
    /// - Throws: `.deadline` if the time is over or too many uses wait; any error of `body`.
    func use<Value: Sendable>(
        within limit: Duration? = nil, _ body: @escaping @Sendable (any Sealer) throws(SealerError) -> Value,
        undo: (@Sendable (any Sealer, Value) -> Void)? = nil
    ) async throws(SealerError) -> Value {
        let sealer = sealer
        return try await thread.run(within: limit) { () throws(SealerError) in
            try body(sealer)
        } undo: { value in
            undo?(sealer, value)
        }
    }

    /// Begins a use that needs the authenticator's signature. Nobody else uses the sealer until it has ended.
    ///
    /// - Parameter time: how long the use waits for the signature.
    func begin(
        _ use: SignedUse, with material: SealingMaterial, waiting time: Duration
    ) async throws(SealerError) -> SigningExchange {
        let sealer = sealer
        return try await thread.begin(waiting: time) { () throws(SealerError) in
            try sealer.begin(use, material.objects, record: material.record)
        }
    }
}
