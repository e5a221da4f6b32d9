/// What all keychains of a process share that use the same sockets: connections, the reads under way, and the places of
/// calls that ask a person. A program may make a keychain for every call.
final class BrokerAccess: Sendable {
    let connections: BrokerConnections
    let reads = SharedReads()
    /// Calls that have a person asked. A challenge would expire before the turn of one that waits.
    let asking = Places<AskingSubject>(all: CallLimits.asking, alike: CallLimits.askingAlike)
    /// Calls that may come back with a challenge. They keep their place until they ask, or the challenge is withdrawn.
    let trying = Places<Bool>(all: CallLimits.trying, alike: CallLimits.trying)

    private struct Key: Hashable {
        let broker: String
        let authenticator: String
        let patience: Duration
    }

    private static let all = WhileInUse<Key, BrokerAccess>()

    static func to(_ paths: SocketPaths, patience: Duration) -> BrokerAccess {
        let key = Key(broker: paths.broker, authenticator: paths.authenticator, patience: patience)
        return all.object(for: key) { BrokerAccess(paths, patience: patience) }
    }

    private init(_ paths: SocketPaths, patience: Duration) {
        connections = BrokerConnections(path: paths.broker, patience: patience)
    }
}
