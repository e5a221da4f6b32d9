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
        guard ModuleThread.start({ exchange.finish(outcome(exchange)) }) else {
            let reason = "the system starts no thread for PAM's modules"
            exchange.finish(PAMError(.unavailable, stage: .start, reason: reason))
            return
        }
    }

    func outcome(_ conversation: any Conversation) -> PAMError? {
        do throws(PAMError) {
            var transaction = try Transaction.start(
                service: service, user: user, terminal: terminal, requester: requester, conversation: conversation)
            try transaction.authenticate()
            try transaction.checkAccount()
            return nil
        } catch {
            return error
        }
    }
}
