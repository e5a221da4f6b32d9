import Cryptography
import PAM
import Synchronization

/// Answers each question with the next of its answers, and records what it was shown.
final class ScriptedPrompter: Conversation {
    private struct State {
        var seen: [Message] = []
        var answers: [[UInt8]]
        var pauses: [UInt32] = []
    }

    private let state: Mutex<State>
    private let atEnd: Interruption

    init(_ answers: String..., atEnd: Interruption = .cancelled) {
        state = Mutex(State(answers: answers.map { Array($0.utf8) }))
        self.atEnd = atEnd
    }

    init(bytes: [UInt8]) {
        state = Mutex(State(answers: [bytes]))
        atEnd = .cancelled
    }

    var seen: [Message] { state.withLock { $0.seen } }
    var pauses: [UInt32] { state.withLock { $0.pauses } }

    func respond(to message: Message) throws(Interruption) -> SecretBytes? {
        let answer: [UInt8]? = state.withLock { state in
            state.seen.append(message)
            guard message.style.wantsAnswer, !state.answers.isEmpty else { return nil }
            return state.answers.removeFirst()
        }
        guard message.style.wantsAnswer else { return nil }
        guard let answer else { throw atEnd }
        do { return try SecretBytes(copying: answer) } catch { throw .outOfMemory }
    }

    func pause(microseconds: UInt32) {
        state.withLock { $0.pauses.append(microseconds) }
    }
}

/// Runs a whole transaction; nil if PAM accepts.
func outcome(
    _ service: Service, user: String = "coffer-nobody", terminal: String? = nil, _ prompter: any Conversation
) -> PAMError? {
    do throws(PAMError) {
        var transaction = try Transaction.start(
            service: service, user: user, terminal: terminal, requester: user, conversation: prompter)
        try transaction.authenticate()
        try transaction.checkAccount()
        return nil
    } catch {
        return error
    }
}
