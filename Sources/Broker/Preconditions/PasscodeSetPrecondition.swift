import Authorization
import BrokerProtocol
import Item
import Varlink
import Vault

/// The class of items whose key depends on the login password needs a vault that is bound to one person's password.
/// Otherwise the item could never be read. Everything else about this class is decided here, too.
enum PasscodeSetPrecondition {
    static func check(_ access: AccessControl, in record: RegistryRecord) throws(Fault) {
        guard access.accessibility == .passcodeSet else { return }
        if case .group = record.owner {
            throw Fault(
                .invalidArgument, "“passcode-set” depends on one person's password, and a group's vault has none")
        }
        if record.isService { throw OwnerPrecondition.nobodyToAsk }
        guard record.binding != nil else {
            throw Fault(
                .invalidArgument,
                "“passcode-set” needs a vault that is bound to the login password",
                advice: "bind this one with: coffer unlock --bind"
            )
        }
    }
}
