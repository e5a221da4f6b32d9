import Authorization
import BrokerProtocol
import Varlink

/// A recovery code is only for one's own vault. One member must not take a group's secrets away. For a service
/// account nobody can be prompted.
enum RecoveryPrecondition {
    static func check(_ request: Request) throws(Fault) {
        guard request.admission.standing == .own else {
            throw Fault(.notPermitted, "only a vault's owner can make a recovery code, and only for their own vault")
        }
    }

    /// The same for a service's own account, whose vault is its own.
    static func check(_ record: RegistryRecord) throws(Fault) {
        guard !record.isService else {
            throw Fault(
                .notPermitted, "a service vault has no recovery code: nobody can be asked for a password",
                advice: "have root share it with another machine: coffer sync init --user \(record.ownerName)")
        }
    }
}
