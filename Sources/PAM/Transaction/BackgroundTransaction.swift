internal import Glibc

/// Runs a complete transaction (authenticate, then account) on a thread of its own, because modules block.
public struct BackgroundTransaction: Sendable {
    public var service: Service
    public var user: String
    public var terminal: String?
    public var requester: String

    public init(service: Service, user: String, terminal: String?, requester: String) {
        self.service = service
        self.user = user
        self.terminal = terminal
        self.requester = requester
    }

    /// Starts the transaction and returns at once. The outcome comes through the exchange. A module that neither returns nor converses cannot be
    /// stopped from within. Then the holder of the exchange has to end the process.
    public func start(_ exchange: Exchange) {
        ModuleThread.start(for: exchange, outcome)
    }

    func outcome(_ conversation: any Conversation) -> Exchange.Outcome {
        do throws(PAMError) {
            var transaction = try Transaction.start(
                service: service, user: user, terminal: terminal, requester: requester, conversation: conversation)
            let contact = try transaction.authenticate()
            try transaction.checkAccount()
            return .accepted(contact)
        } catch {
            return .refused(error)
        }
    }
}

/// A thread for PAM's modules, which expect the stack size of a main thread.
enum ModuleThread {
    private static let stackSize = 8 << 20

    /// The closure that the thread runs.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a transaction whose conversation is an exchange. Its outcome comes through that, also if no thread starts.
    static func start(
        for exchange: Exchange, _ outcome: @escaping @Sendable (any Conversation) -> Exchange.Outcome
    ) {
        guard start({ exchange.finish(outcome(exchange)) }) else {
            let reason = "the system starts no thread for PAM's modules"
            exchange.finish(.refused(PAMError(.unavailable, call: .start, reason: reason)))
            return
        }
    }

    /// - Returns: whether the thread was started.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackSize)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(run))
        let code = unsafe pthread_create(
            &thread, &attributes,
            { body in
                if let body = unsafe body { unsafe Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
                return nil
            }, unsafe body.toOpaque())
        if code != 0 { unsafe body.release() }
        return code == 0
    }
}
