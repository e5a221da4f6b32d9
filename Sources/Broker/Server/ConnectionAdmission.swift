import BrokerProtocol
import Varlink

/// Who may connect to the broker's sockets: any account of this machine to the clients' socket, and the authenticator's
/// alone to its own. The kernel names the user (unix(7), SO_PEERCRED). A process that it cannot name is not served.
enum ConnectionAdmission {
    /// - Throws: `PermissionDenied` if this socket does not serve the user.
    static func check(_ uid: UInt32, _ served: any ServedInterface) throws(Fault) {
        guard served.admits(uid: uid) else { throw Fault(.permissionDenied, "this socket is not for you") }
    }

    /// - Parameter users: nil if every admitted uid is known.
    static func standing(
        of uid: UInt32, _ users: KnownUsers?, _ served: any ServedInterface
    ) async -> KnownUsers.Answer {
        guard let users else { return .known }
        return await withCheckedContinuation { continuation in
            users.ask(uid, isOwner: served.ownsVault(uid: uid)) { continuation.resume(returning: $0) }
        }
    }

    /// - Throws: `NotPermitted` for a number without an account.
    static func check(_ standing: KnownUsers.Answer) throws(Fault) {
        switch standing {
        case .known: return
        case .unknown:
            throw Fault(
                .notPermitted, "your user number has no account on this machine, so it cannot have a vault")
        case .unanswered: throw Faults.noNames
        case .tooMany: throw Faults.slowNames
        }
    }
}
