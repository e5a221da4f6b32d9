import BrokerProtocol
import Cryptography
import Synchronization
import Varlink
import Vault

/// Stretches application passwords on threads of their own, away from the vaults' queues. Each stretch takes 128 MiB,
/// so few run at a time in all, and one for each user. Users take turns: a user with many waiting jobs delays others
/// by one job at most.
final class PasswordStretcher: Sendable {
    private typealias Job = @Sendable () -> Void

    private struct State {
        var waiting: [UInt32: [Job]] = [:]
        /// Users who have a job waiting and none running, in the order of their turns.
        var turns: [UInt32] = []
        var atWork: Set<UInt32> = []
    }

    private let state = Mutex(State())
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
        let result: Result<StretchedPassword, Fault> = await withCheckedContinuation { continuation in
            add(uid) {
                guard !isAbandoned() else {
                    continuation.resume(returning: .failure(Fault(.failed, "the caller has hung up")))
                    return
                }
                do throws(VaultError) {
                    continuation.resume(returning: .success(try body()))
                } catch { continuation.resume(returning: .failure(Fault(error))) }
            }
        }
        return try result.get()
    }

    /// How many jobs of this user have not begun.
    func waiting(of uid: UInt32) -> Int { state.withLock { $0.waiting[uid]?.count ?? 0 } }

    private func add(_ uid: UInt32, _ job: @escaping Job) {
        state.withLock { state in
            state.waiting[uid, default: []].append(job)
            if !state.atWork.contains(uid), !state.turns.contains(uid) { state.turns.append(uid) }
        }
        start()
    }

    /// Starts as many jobs as may run.
    private func start() {
        while let (uid, job) = state.withLock({ Self.next(&$0) }) {
            OwnThread.run { [self] in
                job()
                state.withLock { state in
                    state.atWork.remove(uid)
                    if state.waiting[uid] != nil { state.turns.append(uid) }
                }
                start()
            }
        }
    }

    private static func next(_ state: inout State) -> (UInt32, Job)? {
        guard state.atWork.count < GuessLimits.stretches, !state.turns.isEmpty else { return nil }
        let uid = state.turns.removeFirst()
        guard var jobs = state.waiting[uid], !jobs.isEmpty else { return nil }
        let job = jobs.removeFirst()
        state.waiting[uid] = jobs.isEmpty ? nil : jobs
        state.atWork.insert(uid)
        return (uid, job)
    }
}
