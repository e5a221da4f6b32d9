import Authorization
import BrokerProtocol
import Varlink
import Vault

/// An item must not be made unreadable. A class whose key depends on the login password needs a vault that is bound
/// to it.
enum PasscodeSetRule {
    static func check(_ access: AccessControl, in record: RegistryRecord) throws(Fault) {
        guard access.accessibility != .passcodeSet || record.binding != nil else {
            throw Fault(
                .invalidArgument,
                "“passcode-set” needs a vault that is bound to the login password; bind this one with: coffer unlock --bind"
            )
        }
    }
}
