import BrokerProtocol
import Synchronization
import Varlink

/// The user of each conversation that the authenticator holds, by its connection to the broker. Only the pace of the
/// broker's own log depends on it.
final class ConversationUsers: Sendable {
    private let uids = Mutex<[UInt64: UInt32]>([:])

    /// Remembers the user in a call's parameters.
    func note(_ call: (any VarlinkMethod)?, over connection: UInt64) {
        let named: Int64? =
            switch call {
            case let call as BrokerInterface.Describe: call.uid
            case let call as BrokerInterface.Report: call.uid
            case let call as BrokerInterface.EndLeases: call.uid
            default: nil
            }
        guard let uid = named.flatMap({ UInt32(exactly: $0) }) else { return }
        uids.withLock { $0[connection] = uid }
    }

    /// - Returns: nil if no call over this connection has named a user.
    func uid(over connection: UInt64) -> UInt32? { uids.withLock { $0[connection] } }

    /// The connection is gone.
    func forget(_ connection: UInt64) { uids.withLock { $0[connection] = nil } }
}
