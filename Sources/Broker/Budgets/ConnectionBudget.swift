import BrokerProtocol
import Varlink

/// How many connections a user may have: as many as root has configured (`connections-per-user`), and fewer if all users
/// together have so many that the last ones are kept for users who have few.
struct ConnectionBudget {
    let budgets: UserBudgets
    let connections: OpenConnections
    /// Whether a connection waits for a person.
    let awaits: (Caller) -> Bool

    /// Counts one more connection of this user.
    /// - Throws: `LimitExceeded`.
    func enter(_ uid: UInt32) throws(Fault) {
        do throws(UserBudgets.Refusal) {
            do throws(UserBudgets.Refusal) { return try budgets.take(1, of: .connections, for: uid) } catch {
                // A user with few connections gets the place of a user with many, if one of those is idle.
                guard case .ofAll = error, budgets.held(.connections, by: uid) < budgets.limits.connections.ensured,
                    makeRoom(for: uid)
                else { throw error }
                try budgets.take(1, of: .connections, for: uid)
            }
        } catch {
            switch error {
            case .ofUser(let limit):
                throw Fault(
                    .limitExceeded,
                    "this user has \(limit) connections already",
                    advice: "close some, or ask root for a higher “connections-per-user”")
            case .ofAll(let limit):
                throw Fault(
                    .limitExceeded,
                    "the broker has room for \(limit) connections, and keeps the last ones for users who have few",
                    advice: "try again later"
                )
            }
        }
    }

    private func makeRoom(for uid: UInt32) -> Bool {
        for greedy in budgets.greediest(.connections) where greedy != uid {
            guard budgets.held(.connections, by: greedy) > budgets.limits.connections.ensured else { return false }
            if connections.endIdlest(of: greedy, unless: awaits) {
                budgets.give(back: 1, of: .connections, for: greedy)
                return true
            }
        }
        return false
    }
}
