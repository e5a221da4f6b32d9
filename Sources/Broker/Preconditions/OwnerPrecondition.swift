import Authorization
import BrokerProtocol
import Item
import Varlink
import Vault

/// An item must not have requirements that its owner cannot meet, or that would mean something else for this owner.
/// This concerns groups, and accounts for which nobody can be prompted.
enum OwnerPrecondition {
    static let nobodyToAsk = Fault(
        .invalidArgument, "in a service vault nobody can be asked, so the item could never be read")

    static func check(_ access: AccessControl, in record: RegistryRecord) throws(Fault) {
        try PasscodeSetPrecondition.check(access, in: record)
        if case .group = record.owner {
            guard !access.requirements.contains(.biometryCurrentSet) else {
                throw Fault(
                    .invalidArgument,
                    "“biometry-current-set” depends on one person's templates, and a group's vault has none")
            }
        }
        if record.isService {
            guard access.requirements.isSubset(of: [.applicationPassword]) else { throw nobodyToAsk }
        }
    }
}
