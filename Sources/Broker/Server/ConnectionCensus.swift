import Synchronization

/// How many connections, and how many bytes of unfinished messages, each user has. What is over a limit is refused, so that one user can exhaust neither
/// descriptors nor memory of all.
final class ConnectionCensus: Sendable {
    struct Limits: Sendable {
        var connectionsPerUser: Int
        var connections = 1024
        /// Eight writers of the largest value at once, and room besides.
        var pendingBytesPerUser = 16 << 20
        /// A few of the longest lists, and many of usual ones.
        var listBytesPerUser = 48 << 20
    }

    enum Refusal: Error { case tooManyOfUser(limit: Int), tooMany(limit: Int) }

    private struct Share {
        var connections = 0
        var pendingBytes = 0
        var listBytes = 0
    }

    private struct State {
        var total = 0
        var serial: UInt64 = 0
        var shares: [UInt32: Share] = [:]
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(limits: Limits) { self.limits = limits }

    /// Counts a connection in.
    /// - Returns: a number that no other connection has.
    func enter(uid: UInt32) throws(Refusal) -> UInt64 {
        try state.withLock { state throws(Refusal) in
            guard state.total < limits.connections else { throw .tooMany(limit: limits.connections) }
            guard state.shares[uid, default: Share()].connections < limits.connectionsPerUser else {
                throw .tooManyOfUser(limit: limits.connectionsPerUser)
            }
            state.total += 1
            state.serial += 1
            state.shares[uid, default: Share()].connections += 1
            return state.serial
        }
    }

    func leave(uid: UInt32) {
        state.withLock { state in
            state.total -= 1
            state.shares[uid]?.connections -= 1
            if state.shares[uid]?.connections == 0 { state.shares[uid] = nil }
        }
    }

    /// Notes that a list is about to be sent, or was.
    /// - Returns: false where the user has too many lists that he does not take; nothing is noted then.
    func list(uid: UInt32, of bytes: Int) -> Bool {
        state.withLock { state in
            let sum = state.shares[uid, default: Share()].listBytes + bytes
            guard sum <= limits.listBytesPerUser else { return false }
            state.shares[uid, default: Share()].listBytes = sum
            return true
        }
    }

    /// Notes that a connection's unfinished bytes changed.
    /// - Returns: whether the user is still within the limit.
    func pending(uid: UInt32, from old: Int, to new: Int) -> Bool {
        state.withLock { state in
            state.shares[uid, default: Share()].pendingBytes += new - old
            return state.shares[uid, default: Share()].pendingBytes <= limits.pendingBytesPerUser
        }
    }
}
