import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// Stretches application passwords on threads of their own, away from the vaults' queues. Each stretch takes 128 MiB,
/// so few run at a time in all, and one for each user. Users take turns: a user with many waiting jobs delays others
/// by one job at most.
final class PasswordStretcher: Sendable {
    private let turns = UserTurns(most: GuessLimits.stretches, mostOfOne: 1)
    private let budgets: UserBudgets

    init(budgets: UserBudgets) { self.budgets = budgets }

    /// - Parameter isAbandoned: called when the job's turn comes; returns true if nobody waits for the result any
    ///   longer.
    /// - Throws: `LimitExceeded` if this user, or all users together, have too many jobs waiting or running; any
    ///   error of `body`.
    func run(
        for uid: UInt32, unless isAbandoned: @escaping @Sendable () -> Bool = { false },
        _ body: @escaping @Sendable () throws(VaultError) -> StretchedPassword
    ) async throws(Fault) -> StretchedPassword {
        do throws(UserBudgets.Refusal) { try budgets.take(1, of: .stretches, for: uid) } catch {
            throw Fault(
                .limitExceeded, "too many application passwords are being tried at once",
                advice: "try again in a moment")
        }
        defer { budgets.give(back: 1, of: .stretches, for: uid) }
        return try await turns.run(for: uid) { () throws(Fault) in
            guard !isAbandoned() else { throw Fault(.failed, "the caller has hung up") }
            do throws(VaultError) { return try body() } catch { throw Fault(error) }
        }
    }

    /// How many jobs of this user have not begun.
    func waiting(of uid: UInt32) -> Int { turns.waiting(of: uid) }
}
