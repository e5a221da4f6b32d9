import BrokerProtocol
import Varlink

/// A recovery code is for one's own keychain: a group's secrets are not one member's to take along, and an account that nobody can be asked for cannot be asked for this.
enum RecoveryRule {
    static func check(_ request: Request) throws(Fault) {
        guard request.admission.standing == .own else {
            throw Fault(.notPermitted, "Only a vault's owner can make a recovery code, and only for their own vault.")
        }
    }
}
