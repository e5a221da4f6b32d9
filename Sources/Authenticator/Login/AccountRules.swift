import PAM
import Platform

/// Asks the account rules of Coffer's own PAM service whether an account may be used now. A login program reports
/// somebody after `pam_authenticate`, and only then asks its own account rules. So it reports an account that has
/// expired, too.
struct AccountRules {
    let service: Service
    let user: String
    /// How long the rules may take.
    var limit = LoginLimits.account

    /// Nobody is asked, and no text is shown.
    /// - Throws: ``ConversationError`` unless the rules accept the account.
    func check() throws(ConversationError) {
        let deadline = ContinuousClock.now + limit
        let exchange: Exchange
        do throws(PAMError) { exchange = try Exchange(deadline: deadline) } catch { throw ConversationError(error) }
        AccountTransaction(service: service, user: user, requester: "root").start(exchange)
        while true {
            switch try next(of: exchange, until: deadline) {
            case .message(let message):
                // Nobody is there to answer. A text, such as how long the password is still valid, is not needed.
                guard !message.style.wantsAnswer, exchange.answer(nil) else {
                    exchange.interrupt(.cancelled)
                    throw .refused(.denied("the account rules of the PAM service \(service.name) ask a question"))
                }
            case .finished(.refused(let error)): throw ConversationError(error)
            case .finished(.accepted): return
            }
        }
    }

    private func next(
        of exchange: Exchange, until deadline: ContinuousClock.Instant
    ) throws(ConversationError) -> Exchange.Event {
        while true {
            if let event = exchange.next() { return event }
            do throws(SystemError) {
                guard try Readiness.wait(for: [(exchange.descriptor, .input)], until: deadline)[0] else {
                    exchange.interrupt(.timedOut)
                    throw SystemError(
                        "ask PAM's account rules", reason: "those of the service \(service.name) do not end")
                }
            } catch {
                throw .refused(.misconfigured(error))
            }
        }
    }
}

extension LoginLimits {
    /// How long the account rules may take. Modules of a directory wait for the network.
    static let account = Duration.seconds(10)
}
