import PAM
import Platform

/// Asks root about the circle of a vault that has no person (docs/decisions/0035-service-circles.md). There is no password
/// to ask for: the kernel has said that root is at the other end. But nothing is signed before somebody was shown it, and
/// has typed a word after that.
enum RootConsent {
    static let question = "Type yes to agree: "
    private static let yes = "yes"

    /// - Parameters:
    ///   - notice: all that is signed.
    ///   - invited: what root's `coffer` answers for an invitation that root has made; nil if there can be none.
    /// - Throws: ``ConversationError`` for every other answer.
    static func ask(
        _ notice: String, invited: String?, _ session: inout ClientSession
    ) throws(ConversationError) -> Proof {
        _ = try session.show(Message(style: .info, text: notice), limit: PromptLimits.notice)
        let answer = try session.show(Message(style: .visible, text: question))
        session.noteAnswer()
        func isAnswer(_ text: String) -> Bool {
            let expected = Array(text.utf8)
            return answer?.withBytes { bytes in
                bytes.count == expected.count && bytes.indices.allSatisfy { bytes[$0] == expected[$0] }
            } ?? false
        }
        if isAnswer(yes) { return .asked }
        guard let invited, isAnswer(invited) else { throw .cancelled }
        return .invited
    }
}
