import BrokerProtocol
import Varlink

/// The vault's owner renews all keys, or root does for an account for which nobody can be prompted. The members of a
/// group cannot decide for each other.
enum RotationPrecondition {
    static func check(_ request: Request) throws(Fault) {
        guard request.admission.standing != .member else {
            throw Fault(
                .notPermitted,
                "the keys of a group's vault cannot be renewed all at once",
                advice: "renew its items one by one with coffer rotate --group"
            )
        }
    }
}
