/// Runs only the `account` rules of a service, on a thread of its own, because modules block. Somebody else has
/// authenticated the person before.
public struct AccountTransaction: Sendable {
    public var service: Service
    public var user: String
    /// The name of the user who asks (`PAM_RUSER`).
    public var requester: String

    public init(service: Service, user: String, requester: String) {
        self.service = service
        self.user = user
        self.requester = requester
    }

    /// Starts the transaction and returns at once. The outcome comes through the exchange. A module that neither returns
    /// nor converses cannot be stopped from within. Then the holder of the exchange has to end the process.
    public func start(_ exchange: Exchange) {
        ModuleThread.start(for: exchange, outcome)
    }

    private func outcome(_ conversation: any Conversation) -> Exchange.Outcome {
        do throws(PAMError) {
            var transaction = try Transaction.start(
                service: service, user: user, terminal: nil, requester: requester, conversation: conversation)
            try transaction.checkAccount()
            return .accepted(.nothing)
        } catch {
            return .refused(error)
        }
    }
}
