internal import Synchronization

/// The object behind `appdata_ptr` during a transaction. It holds the conversation and, if it was interrupted, the reason.
final class ConversationState: Sendable {
    let conversation: any Conversation
    private let reason = Mutex<Interruption?>(nil)
    private let secretWasGiven = Mutex(false)

    init(_ conversation: any Conversation) {
        self.conversation = conversation
    }

    /// The reason is kept here because modules turn an interruption into codes of their own choice.
    var interruption: Interruption? {
        reason.withLock { $0 }
    }

    /// Whether a module has received a hidden answer.
    var hasSecret: Bool {
        get { secretWasGiven.withLock { $0 } }
        set { secretWasGiven.withLock { $0 = newValue } }
    }

    func interrupt(_ reason: Interruption) {
        self.reason.withLock { if $0 == nil { $0 = reason } }
    }
}
