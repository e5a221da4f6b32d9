import BrokerProtocol
import Circle

/// What is to be released to which machines.
struct ReleaseRequest: Equatable {
    let items: [BrokerInterface.NamedItem]
    /// What they call themselves, at least one. The person is shown each of them.
    let machines: [MachineName]

    /// - Throws: ``ConversationError`` unless there are machines that can be shown.
    init(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError) {
        items = facts.items ?? []
        let names = facts.machines ?? []
        machines = names.compactMap { MachineName($0) }
        guard (1...PromptLimits.machines).contains(names.count), machines.count == names.count else {
            throw CircleRequest.unclear
        }
    }
}
