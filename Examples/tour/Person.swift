import Coffer
import Synchronization

/// The person who uses the application. An application shows a window instead.
final class Person: Sendable {
    private struct State {
        var answer: String?
        var shown: [PromptMessage] = []
    }

    private let state: Mutex<State>

    /// - Parameter answer: what the person types. The password of a sandbox is always the same.
    init(answer: String? = "sandbox") { state = Mutex(State(answer: answer)) }

    /// Asks this person.
    var prompts: Prompts {
        .handler { [self] message in
            state.withLock { state in
                state.shown.append(message)
                return message.wantsAnswer ? state.answer : nil
            }
        }
    }

    /// From now on the person types this; nil: they close each question.
    func types(_ answer: String?) { state.withLock { $0.answer = answer } }

    /// How many questions the person was asked since the last call, and all that they were shown.
    func takeShown() -> (questions: Int, text: String) {
        state.withLock { state in
            defer { state.shown = [] }
            return (state.shown.count { $0.wantsAnswer }, state.shown.map(\.text).joined(separator: "\n"))
        }
    }
}
