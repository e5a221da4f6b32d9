import BrokerProtocol
import Cryptography
import Synchronization
import Varlink
import Vault

/// Stretches application passwords, away from the vaults' queues: one at a time for each user, and few at a time in all, because each takes 128 MiB. Users
/// take turns: one who has many waiting keeps nobody else waiting longer than for one of them.
final class PasswordStretcher: Sendable {
    private typealias Job = @Sendable () -> Void

    private struct State {
        var waiting: [UInt32: [Job]] = [:]
        /// Users with something waiting and nothing at work, the one whose turn it is first.
        var turns: [UInt32] = []
        var atWork: Set<UInt32> = []
    }

    /// At work at the same time, of all users.
    private static let workers = 2

    private let state = Mutex(State())
    private let budgets: UserBudgets

    init(budgets: UserBudgets) { self.budgets = budgets }

    /// - Parameter isAbandoned: asked when it is its turn: whether nobody waits for it any longer.
    /// - Throws: `LimitExceeded` where this user, or all users together, have too many waiting; whatever `body` throws.
    func run(
        for uid: UInt32, unless isAbandoned: @escaping @Sendable () -> Bool = { false },
        _ body: @escaping @Sendable () throws(VaultError) -> StretchedPassword
    ) async throws(Fault) -> StretchedPassword {
        do throws(UserBudgets.Refusal) { try budgets.take(1, of: .stretches, for: uid) } catch {
            throw Fault(
                .limitExceeded, "Too many application passwords are being tried at once; try again in a moment.")
        }
        defer { budgets.give(back: 1, of: .stretches, for: uid) }
        let result: Result<StretchedPassword, Fault> = await withCheckedContinuation { continuation in
            add(uid) {
                guard !isAbandoned() else {
                    continuation.resume(returning: .failure(Fault(.failed, "The caller has hung up.")))
                    return
                }
                do throws(VaultError) {
                    continuation.resume(returning: .success(try body()))
                } catch { continuation.resume(returning: .failure(Fault(error))) }
            }
        }
        return try result.get()
    }

    /// How many of a user's have not begun.
    func waiting(of uid: UInt32) -> Int { state.withLock { $0.waiting[uid]?.count ?? 0 } }

    private func add(_ uid: UInt32, _ job: @escaping Job) {
        state.withLock { state in
            state.waiting[uid, default: []].append(job)
            if !state.atWork.contains(uid), !state.turns.contains(uid) { state.turns.append(uid) }
        }
        start()
    }

    /// Puts to work what may be.
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
        guard state.atWork.count < workers, !state.turns.isEmpty else { return nil }
        let uid = state.turns.removeFirst()
        guard var jobs = state.waiting[uid], !jobs.isEmpty else { return nil }
        let job = jobs.removeFirst()
        state.waiting[uid] = jobs.isEmpty ? nil : jobs
        state.atWork.insert(uid)
        return (uid, job)
    }
}
