internal import Synchronization

/// What `appdata_ptr` points at while a transaction lives: the conversation, and how it ended if it broke off.
final class ConversationState: Sendable {
    let conversation: any Conversation
    private let reason = Mutex<Interruption?>(nil)
    private let secretWasGiven = Mutex(false)

    init(_ conversation: any Conversation) {
        self.conversation = conversation
    }

    /// Modules turn a broken conversation into codes of their own choice, so the reason is kept here.
    var interruption: Interruption? {
        reason.withLock { $0 }
    }

    /// Whether a hidden answer has reached a module.
    var hasSecret: Bool {
        get { secretWasGiven.withLock { $0 } }
        set { secretWasGiven.withLock { $0 = newValue } }
    }

    func interrupt(_ reason: Interruption) {
        self.reason.withLock { if $0 == nil { $0 = reason } }
    }
}
