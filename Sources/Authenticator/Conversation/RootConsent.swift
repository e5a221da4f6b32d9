import PAM
import Platform

/// Asks root about the circle of a vault that has no person (docs/decisions/0035-service-circles.md). There is no password
/// to ask for: the kernel has said that root is at the other end. But nothing is signed before somebody was shown it, and
/// has typed a word after that.
enum RootConsent {
    static let question = "Type yes to agree: "
    private static let yes = Array("yes".utf8)

    /// - Parameter notice: all that is signed.
    /// - Throws: ``ConversationError`` for every other answer.
    static func ask(_ notice: String, _ session: inout ClientSession) throws(ConversationError) {
        _ = try session.show(Message(style: .info, text: notice), limit: PromptLimits.notice)
        let answer = try session.show(Message(style: .visible, text: question))
        let isYes =
            answer?.withBytes { bytes in
                bytes.count == yes.count && bytes.indices.allSatisfy { bytes[$0] == yes[$0] }
            } ?? false
        guard isYes else { throw .cancelled }
    }
}
