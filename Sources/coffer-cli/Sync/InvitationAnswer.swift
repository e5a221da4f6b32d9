import BrokerProtocol
import Coffer

/// Answers root's question by an invitation that root has made (docs/decisions/0039-invitations.md). The answer says what the
/// invitation allows. So the authenticator takes it for nothing else that a broker may ask.
struct InvitationAnswer: Prompter {
    private let answer: String

    /// - Parameter answer: the role of a machine that is added, or the circle that is entered.
    init(_ answer: String) { self.answer = answer }

    /// - Throws: for a question about anything but who joins.
    func checked(_ purposes: [Keychain.Purpose]) throws(KeychainError) -> InvitationAnswer {
        guard purposes == [.addToCircle] || purposes == [.joinCircle] else {
            throw KeychainError(
                .authenticationNeeded, "the vault is closed, or asks for more than an invitation says",
                advice: "see its state with: coffer status")
        }
        return self
    }

    mutating func tell(_ message: Authentication.Message) throws(KeychainError) {}

    mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? { answer }
}
