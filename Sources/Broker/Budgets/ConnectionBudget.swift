import BrokerProtocol
import Varlink

/// How many connections a user may have: as many as root has configured (`connections-per-user`), and fewer if all users
/// together have so many that the last ones are kept for users who have few. A few more may only lock the vault,
/// because a lock waits for nobody.
struct ConnectionBudget {
    let budgets: UserBudgets
    let connections: OpenConnections
    /// The connections that may only lock.
    let locking: OpenConnections
    /// Whether a connection waits for a person.
    let awaits: (Caller) -> Bool

    /// What a connection is for.
    enum Place: Sendable {
        case ordinary
        /// One `Lock`, and the error for everything else.
        case lock(otherwise: @Sendable () -> Fault)

        /// The error for every call but a `Lock`; nil if the connection may make any call.
        var refusal: (@Sendable () -> Fault)? {
            switch self {
            case .ordinary: nil
            case .lock(let refusal): refusal
            }
        }

        /// What it is counted as.
        var resource: UserBudgets.Resource {
            switch self {
            case .ordinary: .connections
            case .lock: .locks
            }
        }
    }

    /// Counts one more connection of this user.
    /// - Throws: `LimitExceeded`.
    func enter(_ uid: UInt32) throws(Fault) -> Place {
        do throws(UserBudgets.Refusal) {
            do throws(UserBudgets.Refusal) { try budgets.take(1, of: .connections, for: uid) } catch {
                // A user with few connections gets the place of a user with many, if one of those is idle.
                guard case .ofAll = error, budgets.held(.connections, by: uid) < budgets.limits.connections.ensured,
                    makeRoom(for: uid)
                else { throw error }
                try budgets.take(1, of: .connections, for: uid)
            }
            return .ordinary
        } catch {
            guard takeLock(uid) else { throw Self.fault(error, nil) }
            return .lock(otherwise: { [connections] in
                ConnectionBudget.fault(error, connections.most(of: uid))
            })
        }
    }

    /// Counts one more connection that may only lock. If the user has all of these, the one that was idle longest ends.
    private func takeLock(_ uid: UInt32) -> Bool {
        do throws(UserBudgets.Refusal) {
            do throws(UserBudgets.Refusal) { try budgets.take(1, of: .locks, for: uid) } catch {
                guard locking.endIdlest(of: uid, unless: { _ in false }) else { throw error }
                budgets.give(back: 1, of: .locks, for: uid)
                try budgets.take(1, of: .locks, for: uid)
            }
            return true
        } catch {
            return false
        }
    }

    /// - Parameter most: the process of this user with the most connections, and how many it has; nil if nobody looked.
    private static func fault(_ refusal: UserBudgets.Refusal, _ most: (pid: Int32, count: Int)?) -> Fault {
        switch refusal {
        case .ofUser(let limit):
            guard let most else {
                return Fault(
                    .limitExceeded,
                    "this user has \(limit) connections already",
                    advice: "close some, or ask root for a higher “connections-per-user”")
            }
            return Fault(
                .limitExceeded,
                "this user has \(limit) connections already, \(most.count) of them from process \(most.pid)",
                advice: "see which program that is with: ps \(most.pid); end it, "
                    + "or ask root for a higher “connections-per-user”")
        case .ofAll(let limit):
            return Fault(
                .limitExceeded,
                "the broker has room for \(limit) connections, and keeps the last ones for users who have few",
                advice: "try again later"
            )
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

extension BudgetLimits {
    /// The limits of the authenticator's socket, which has one user.
    static let authenticator = BudgetLimits(
        connections: Limit(user: 512, all: 512, reserve: 0, ensured: 0),
        monitors: Limit(user: 0, all: 0, reserve: 0, ensured: 0),
        locks: Limit(user: 0, all: 0, reserve: 0, ensured: 0))
}

/// Connections that may only lock. A program that makes them without end can still keep all of them taken.
extension ConnectionLimits {
    /// How many of these a user may make at once after a break.
    static let lockBurst = 8
    /// The shortest time between two of these, without a break.
    static let lockInterval = Duration.milliseconds(20)
}
