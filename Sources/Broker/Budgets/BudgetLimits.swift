/// How much of each shared resource one user may hold, and all users together (docs/broker-protocol.md, "Limits").
struct BudgetLimits: Sendable {
    /// The limits of one resource.
    struct Limit: Sendable {
        /// The most that one user may hold.
        var user: Int
        /// The most that all users together may hold.
        var all: Int
        /// The part kept for users who hold no more than `ensured`, however much others ask for.
        var reserve: Int
        /// How much a user may hold and still draw on the reserve.
        var ensured: Int

        /// The part that users who hold more than `ensured` may fill.
        var open: Int { all - reserve }
    }

    var connections: Limit
    /// Bytes of incomplete messages: eight writers of the largest value at once, and room to spare.
    var unfinished = Limit(user: 16 << 20, all: 192 << 20, reserve: 48 << 20, ensured: 3 << 20)
    /// Bytes of lists that clients have not read yet: a few of the longest lists, or many of the usual size.
    var lists = Limit(user: 48 << 20, all: 192 << 20, reserve: 64 << 20, ensured: 17 << 20)
    /// Bytes of the secure heap. All of a user's connections can store the largest value that goes there at once.
    var secrets = Limit(user: 96 << 10, all: 1 << 20, reserve: 256 << 10, ensured: 4 << 10)
    /// Application passwords that wait for scrypt or are in it.
    var stretches = Limit(user: 17, all: 136, reserve: 34, ensured: 2)
    /// Open challenges. The challenge store counts them.
    static let challenges = Limit(user: 64, all: 4096, reserve: 1024, ensured: 8)

    /// The limits of the clients' socket.
    ///
    /// - Parameters:
    ///   - perUser: the most connections of one user.
    ///   - all: the most connections of all users.
    static func clients(connectionsPerUser perUser: Int, connections all: Int) -> BudgetLimits {
        BudgetLimits(connections: Limit(user: perUser, all: all, reserve: all / 4, ensured: min(8, perUser)))
    }

    /// The limits of the authenticator's socket, which has one user.
    static let authenticator = BudgetLimits(connections: Limit(user: 512, all: 512, reserve: 0, ensured: 0))

    /// The limits of one resource.
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
