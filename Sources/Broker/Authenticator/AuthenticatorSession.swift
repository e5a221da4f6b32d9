import BrokerProtocol
import Varlink

/// One authenticator's conversation with the broker: its connection, and the challenge it names. One method a file.
struct AuthenticatorSession: Sendable {
    let core: BrokerCore
    let exchanges: OpenExchanges
    let caller: Caller

    static let refusal = Fault(
        .brokerChallengeRefused, "The challenge is unknown, used, too old, or another process's.")

    /// The challenge that was described over this connection.
    func challenge(_ id: Challenge.ID) throws(Fault) -> Challenge {
        do throws(ChallengeRefusal) { return try core.challenges.current(id, connection: caller.connection) } catch {
            throw Self.refusal
        }
    }
}
