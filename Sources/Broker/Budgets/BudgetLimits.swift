/// How much of what all users share one of them may hold, and all of them together (docs/broker-protocol.md, "Limits").
struct BudgetLimits: Sendable {
    /// The limits of one resource.
    struct Limit: Sendable {
        /// The most of one user.
        var user: Int
        /// The most of all users.
        var all: Int
        /// Kept for users who hold no more than `ensured`, however much the others want.
        var reserve: Int
        /// What a user gets of the reserve.
        var ensured: Int

        /// What users who hold more than `ensured` may fill.
        var open: Int { all - reserve }
    }

    var connections: Limit
    /// Bytes of messages that are not complete: eight writers of the largest value at once, and room besides.
    var unfinished = Limit(user: 16 << 20, all: 192 << 20, reserve: 48 << 20, ensured: 3 << 20)
    /// Bytes of lists that are not taken: a few of the longest lists, and many of usual ones.
    var lists = Limit(user: 48 << 20, all: 192 << 20, reserve: 64 << 20, ensured: 17 << 20)
    /// Bytes of the secure heap: all of a user's connections may store the largest value that goes there at once.
    var secrets = Limit(user: 96 << 10, all: 1 << 20, reserve: 256 << 10, ensured: 4 << 10)
    /// Application passwords that wait for scrypt or are in it.
    var stretches = Limit(user: 17, all: 136, reserve: 34, ensured: 2)
    /// Open challenges; the challenge book counts them.
    static let challenges = Limit(user: 64, all: 4096, reserve: 1024, ensured: 8)

    /// For the clients' socket.
    ///
    /// - Parameters:
    ///   - perUser: connections of one user.
    ///   - all: connections of all users.
    static func clients(connectionsPerUser perUser: Int, connections all: Int) -> BudgetLimits {
        BudgetLimits(connections: Limit(user: perUser, all: all, reserve: all / 4, ensured: min(8, perUser)))
    }

    /// For the authenticator's socket, where there is one user.
    static let authenticator = BudgetLimits(connections: Limit(user: 512, all: 512, reserve: 0, ensured: 0))

    /// The limits of each resource.
    subscript(resource: UserBudgets.Resource) -> Limit {
        switch resource {
        case .connections: connections
        case .unfinished: unfinished
        case .lists: lists
        case .secrets: secrets
        case .stretches: stretches
        }
    }
}
