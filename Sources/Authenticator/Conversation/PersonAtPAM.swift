import Cryptography
import PAM
import Platform

/// Carries PAM's questions to the client and the answers back.
struct PersonAtPAM {
    let transaction: BackgroundTransaction
    /// Whether PAM was given anything that could be right or wrong.
    private(set) var hasAnswered = false
    /// What was typed unseen. Known to be right only once PAM has said yes.
    private(set) var hiddenAnswers: [SecretBytes] = []

    init(transaction: BackgroundTransaction) { self.transaction = transaction }

    /// Runs the transaction to its end.
    /// - Throws: ``Ending`` when PAM refuses, or the conversation breaks off.
    mutating func converse(_ session: inout Session) throws(Ending) {
        let exchange: Exchange
        do { exchange = try Exchange(deadline: session.deadline) } catch { throw Ending(error) }
        transaction.start(exchange)
        do throws(Ending) {
            try converse(&session, exchange)
        } catch {
            exchange.interrupt(Self.interruption(for: error))
            // Modules get a moment to end in order; what they do not use is not waited for.
            _ = try? Readiness.wait(for: [(exchange.descriptor, .input)], until: .now + .milliseconds(500))
            throw error
        }
    }

    private mutating func converse(_ session: inout Session, _ exchange: Exchange) throws(Ending) {
        while true {
            switch try session.next(of: exchange) {
            case .message(let message):
                let answer = try session.show(message)
                if let answer {
                    hasAnswered = true
                    if message.style == .secret { hiddenAnswers.append(answer) }
                }
                guard exchange.answer(answer) else { throw .refused(.misconfigured("PAM lost its own question.")) }
            case .finished(let error?):
                // A stack that refuses without asking (a fingerprint, say) has tried.
                if error.code != .misconfigured { hasAnswered = true }
                throw Ending(error)
            case .finished(nil): return
            case nil: continue
            }
        }
    }

    private static func interruption(for ending: Ending) -> Interruption {
        switch ending {
        case .cancelled, .refused, .terminated: .cancelled
        case .gone: .gone
        case .timedOut: .timedOut
        }
    }
}
