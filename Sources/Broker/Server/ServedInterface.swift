import BrokerProtocol
import Varlink

/// What stands behind a socket: takes calls, one at a time for each connection, and gives answers.
protocol ServedInterface: Sendable {
    /// What is served, and how the service describes itself.
    var interfaces: ServedInterfaces { get }

    /// The name under which a call that cannot even be read is refused.
    var unreadable: Fault.Name { get }

    /// Whether somebody may be connected at all. Asked once, before anything is read.
    func admits(uid: UInt32) -> Bool

    /// - Parameter isAbandoned: whether the caller has hung up.
    func answer(
        _ call: IncomingCall, from caller: Caller, isAbandoned: @escaping @Sendable () -> Bool
    ) async throws(Fault) -> MethodAnswer

    /// Whether a connection on which nothing happens is one that waits for a person, and stays.
    func awaits(_ caller: Caller) -> Bool

    /// Whether each user's connections are answered on a thread of that user's own.
    var keepsUsersApart: Bool { get }

    /// The connection is gone; whatever hung on it goes too.
    func connectionEnded(_ caller: Caller)
}
