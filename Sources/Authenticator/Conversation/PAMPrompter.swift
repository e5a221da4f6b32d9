import Cryptography
import PAM
import Platform

/// Carries PAM's questions to the client and the answers back.
struct PAMPrompter {
    let transaction: BackgroundTransaction
    /// Each answer passes this gate before PAM gets it.
    let gate: GuessGate
    /// Whether a stack has refused the person without getting an answer. Such a stack has tried something else, such as a fingerprint.
    private(set) var wasRefusedUnasked = false
    private var hasAnswered = false
    /// The answers that were typed hidden. They are known to be right only after PAM has accepted them.
    private(set) var hiddenAnswers: [SecretBytes] = []

    init(transaction: BackgroundTransaction, gate: GuessGate) {
        self.transaction = transaction
        self.gate = gate
    }

    /// Runs the transaction to its end.
    /// - Returns: what the stack's `auth` rules did with the person.
    /// - Throws: ``ConversationError`` when PAM refuses, or the conversation breaks off.
    mutating func converse(_ session: inout ClientSession) throws(ConversationError) -> Contact {
        let exchange: Exchange
        do { exchange = try Exchange(deadline: session.deadline) } catch { throw ConversationError(error) }
        transaction.start(exchange)
        // Held until PAM has judged the last answer.
        var turn: FileLock?
        do throws(ConversationError) {
            return try converse(&session, exchange, &turn)
        } catch {
            exchange.interrupt(Self.interruption(for: error))
            // Modules get a moment to end properly. `try?`: a wait that fails or runs out changes nothing.
            _ = try? Readiness.wait(for: [(exchange.descriptor, .input)], until: .now + ConversationLimits.interruption)
            turn = nil
            throw error
        }
    }

    private mutating func converse(
        _ session: inout ClientSession, _ exchange: Exchange, _ turn: inout FileLock?
    ) throws(ConversationError) -> Contact {
        while true {
            guard let event = try session.next(of: exchange) else { continue }
            // PAM's next event shows that it has judged the answer.
            turn = nil
            switch event {
            case .message(let message):
                let answer = try session.show(Self.worded(message))
                if let answer {
                    turn = try gate.pass(&session)
                    hasAnswered = true
                    session.noteAnswer()
                    if message.style == .secret { hiddenAnswers.append(answer) }
                }
                guard exchange.answer(answer) else { throw .refused(.misconfigured("PAM lost its own question")) }
            case .finished(.refused(let error)):
                wasRefusedUnasked = !hasAnswered && Self.failures.contains(error.code)
                throw ConversationError(error)
            case .finished(.accepted(let contact)): return contact
            }
        }
    }

    /// Refusals after somebody has tried something. A reader that nobody touched, or that is busy, has refused nobody.
    private static let failures: Set<PAMError.Code> = [.wrongPassword, .tooManyTries, .denied]

    /// Most modules ask for the login password in these words, by which nobody knows which password is meant (pam_get_authtok(3)).
    private static let loginQuestion = Message(style: .secret, text: "Password: ")

    /// Other questions stay as their modules word them.
    static func worded(_ message: Message) -> Message {
        message == loginQuestion ? Message(style: .secret, text: "Login password: ") : message
    }

    private static func interruption(for error: ConversationError) -> Interruption {
        switch error {
        case .cancelled, .refused, .terminated: .cancelled
        case .gone: .gone
        case .timedOut: .timedOut
        }
    }
}
