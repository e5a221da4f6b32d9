import BrokerProtocol
import Platform
import Varlink

/// How far a conversation with the authenticator has got. It neither sends nor asks anything: ``Authenticator`` drives
/// it and blocks, ``AuthenticatorConversation`` drives it and suspends.
struct ConversationLife: ~Copyable {
    /// What the driver does next.
    enum Step: Sendable {
        /// Nothing: the authenticator knows all that it needs.
        case end
        /// Shows a message, and goes on without an answer.
        case tell(Authentication.Message)
        /// Goes on with the person's answer.
        case ask(Authentication.Message)
    }

    private let path: String
    /// Whether another process may have begun the conversation, and may know what came before.
    private let isHandedOver: Bool
    /// The number of the next message.
    private var number: Int64 = 1

    /// - Parameters:
    ///   - path: the authenticator's socket, for the message of an error.
    ///   - isHandedOver: whether another process has made the connection. Each message must then have its number.
    init(path: String, isHandedOver: Bool = false) {
        self.path = path
        self.isHandedOver = isHandedOver
    }

    /// What follows from the authenticator's answer.
    /// - Throws: if it is not the next one of this conversation.
    mutating func heard(_ step: Authentication.Step) throws(KeychainError) -> Step {
        if step.done { return .end }
        // An authenticator of an earlier version numbers nothing.
        guard step.step == number || (step.step == nil && !isHandedOver) else {
            throw KeychainError(
                .authenticatorUntrusted, "somebody else has taken part in the conversation",
                advice: "run the command again")
        }
        number += 1
        guard let message = step.message else {
            throw KeychainError(
                authenticator: .notUnderstood("it neither asks anything nor is done"), path: path)
        }
        switch message.style {
        case .info, .error: return .tell(message)
        case .secret, .visible: return .ask(message)
        }
    }

    /// Why a conversation ends in which a person gave no answer: the authenticator has ended it and said why, or the
    /// person has given up.
    /// - Parameter word: what the authenticator has said since; nil if it still waits.
    static func end(
        after word: Result<VarlinkAnswer<Authentication.Step>, TransportFailure>?, path: String
    ) -> KeychainError {
        switch word {
        case nil: .cancelledByPerson
        case .success(.fault(let fault)): KeychainError(authenticatorFault: fault)
        case .success: KeychainError(authenticator: .notUnderstood("its answer fits no question"), path: path)
        case .failure(let failure): KeychainError(authenticator: failure, path: path)
        }
    }
}

extension SocketPaths {
    /// Checks who serves the authenticator's socket, before anything is said: that process gets the password that the
    /// person types.
    /// - Parameter peer: as the kernel names it.
    /// - Throws: `.authenticatorUntrusted`.
    func check(_ peer: PeerCredentials, caller: UInt32) throws(KeychainError) {
        guard trustsAuthenticator(run: peer.uid, caller: caller) else {
            throw .untrustedAuthenticator(authenticator, peer)
        }
    }
}
