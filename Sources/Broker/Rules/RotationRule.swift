import BrokerProtocol
import Varlink

/// All keys are renewed by the keychain's owner, or by root for an account that nobody can be asked for. A group's members cannot speak for each other.
enum RotationRule {
    static func check(_ request: Request) throws(Fault) {
        guard request.admission.standing != .member else {
            throw Fault(
                .notPermitted,
                "The keys of a group's vault cannot be renewed all at once; renew its items one by one with coffer rotate --group."
            )
        }
    }
}
