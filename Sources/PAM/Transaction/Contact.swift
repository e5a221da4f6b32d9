/// The most that a stack's `auth` rules did with a person before they accepted: nothing, show a text, take an answer. libpam does not tell which module
/// accepted. So a module that accepts everybody, beside one that asks and fails, looks the same as one that asks.
public enum Contact: String, Sendable, Comparable, CaseIterable {
    /// They neither showed nor asked anything.
    case nothing
    /// They showed a text, such as "Place your finger on the reader".
    case text
    /// A person answered a question whose answer is shown, or answered a hidden one with nothing.
    case answer
    /// A person typed something at a hidden question.
    case hiddenAnswer = "hidden-answer"

    /// What a message comes to, once it was shown and, if it wants one, has its answer.
    init(_ message: Message, isAnswerEmpty: Bool) {
        switch message.style {
        case .secret: self = isAnswerEmpty ? .answer : .hiddenAnswer
        case .visible: self = .answer
        case .info, .error: self = message.text.contains { !$0.isWhitespace } ? .text : .nothing
        }
    }

    private var rank: Int {
        switch self {
        case .nothing: 0
        case .text: 1
        case .answer: 2
        case .hiddenAnswer: 3
        }
    }

    public static func < (left: Contact, right: Contact) -> Bool { left.rank < right.rank }
}
