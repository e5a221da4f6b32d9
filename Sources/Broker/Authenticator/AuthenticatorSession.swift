import BrokerProtocol
import Varlink

/// One connection from the authenticator to the broker, and the challenge that it names. The methods are in
/// extensions, by topic.
struct AuthenticatorSession: Sendable {
    let core: BrokerCore
    let exchanges: OpenExchanges
    let caller: Caller

    static let refusal = Fault(
        .brokerChallengeRefused, "The challenge is unknown, used, too old, or another process's.")

    /// The challenge that was described over this connection.
    /// - Throws: `ChallengeRefused` if there is no such challenge or it has expired.
    func challenge(_ id: Challenge.ID) throws(Fault) -> Challenge {
        do throws(ChallengeRefusal) { return try core.challenges.current(id, connection: caller.connection) } catch {
            throw Self.refusal
        }
    }
}

extension Fault {
    /// The same error under the name that the private interface uses.
    var forAuthenticator: Fault {
        let names: [Name: Name] = [
            .challengeRefused: .brokerChallengeRefused, .tpm: .brokerTPM, .damaged: .brokerDamaged,
            .notPermitted: .brokerNotPermitted,
            .invalidArgument: .brokerInvalidArgument, .failed: .brokerFailed, .locked: .brokerFailed,
            .notFound: .brokerFailed,
            .limitExceeded: .brokerFailed, .alreadyExists: .brokerNotPermitted,
        ]
        return Fault(names[name] ?? name, details)
    }
}
