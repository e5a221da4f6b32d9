import Authorization
import BrokerProtocol
import Varlink
import Vault

/// No item is made that could never be read: a class whose key hangs on the login password is for a keychain that is bound to it.
enum AvailabilityRule {
    static func check(_ access: AccessControl, in record: RegistryRecord) throws(Fault) {
        guard access.accessibility != .passcodeSet || record.binding != nil else {
            throw Fault(
                .invalidArgument,
                "“passcode-set” needs a vault that is bound to the login password; bind this one with: coffer unlock --bind"
            )
        }
    }
}
