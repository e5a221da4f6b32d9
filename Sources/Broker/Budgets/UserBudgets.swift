import Synchronization

/// Counts what each user holds of shared resources. A request over a limit is refused, so that no user can take what
/// others need.
final class UserBudgets: Sendable {
    enum Resource: CaseIterable, Sendable {
        case connections, unfinished, lists, secrets, stretches
    }

    /// Why a request was refused.
    enum Refusal: Error, Equatable {
        /// The user holds as much as one user may.
        case ofUser(limit: Int)
        /// All users together hold so much that only users who hold little get more.
        case ofAll(limit: Int)
    }

    private struct State {
        var total: [Resource: Int] = [:]
        var users: [UInt32: [Resource: Int]] = [:]
    }

    let limits: BudgetLimits
    private let state = Mutex(State())

    init(limits: BudgetLimits) { self.limits = limits }

    /// Counts something for a user before it is made.
    func take(_ amount: Int, of resource: Resource, for uid: UInt32) throws(Refusal) {
        let limit = limits[resource]
        try state.withLock { state throws(Refusal) in
            let held = state.users[uid]?[resource] ?? 0
            let total = state.total[resource] ?? 0
            guard amount <= limit.user - held else { throw .ofUser(limit: limit.user) }
            // From the reserve comes only what a user with little wants.
            let isSmall = amount <= limit.ensured - held
            guard amount <= (isSmall ? limit.all : limit.open) - total else { throw .ofAll(limit: limit.all) }
            Self.add(amount, resource, uid, &state)
        }
    }

    /// Call this when the resource is released.
    func give(back amount: Int, of resource: Resource, for uid: UInt32) {
        state.withLock { Self.add(-amount, resource, uid, &$0) }
    }

    func held(_ resource: Resource, by uid: UInt32) -> Int { state.withLock { $0.users[uid]?[resource] ?? 0 } }

    /// The users who hold some of this resource, the largest holder first.
    func greediest(_ resource: Resource) -> [UInt32] {
        state.withLock { state in
            state.users.compactMap { uid, held in held[resource].map { (uid, $0) } }.sorted { $0.1 > $1.1 }.map(\.0)
        }
    }

    func total(_ resource: Resource) -> Int { state.withLock { $0.total[resource] ?? 0 } }

    private static func add(_ amount: Int, _ resource: Resource, _ uid: UInt32, _ state: inout State) {
        state.total[resource, default: 0] += amount
        state.users[uid, default: [:]][resource, default: 0] += amount
        if state.users[uid]?[resource] == 0 { state.users[uid]?[resource] = nil }
        if state.users[uid]?.isEmpty ?? false { state.users[uid] = nil }
    }
}
