import BrokerProtocol
import Varlink

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
