import Authorization
import BrokerProtocol
import Vault

/// No item is made that could never be read, or would mean something else than it says: what a group, or an account that nobody can be asked for, cannot meet.
enum OwnerRule {
    static func check(_ access: AccessControl, in record: RegistryRecord) throws(Fault) {
        if case .group = record.owner {
            guard access.accessibility != .passcodeSet else {
                throw Fault(
                    .invalidArgument, "“passcode-set” hangs on one person's password: a group's keychain has none.")
            }
            guard !access.constraints.contains(.biometryCurrentSet) else {
                throw Fault(
                    .invalidArgument,
                    "“biometry-current-set” hangs on one person's templates: a group's keychain has none.")
            }
        }
        if record.isService {
            guard access.accessibility != .passcodeSet, access.constraints.isSubset(of: .applicationPassword) else {
                throw Fault(
                    .invalidArgument,
                    "This is the keychain of an account that nobody can be asked for: the item could never be read.")
            }
        }
    }
}
