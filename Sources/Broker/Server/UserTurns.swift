import Synchronization
import Varlink

/// Runs users' blocking jobs on threads of their own, few at the same time, and fewer of one user. Users take turns: many
/// jobs of one user delay another user's by one at most.
final class UserTurns: Sendable {
    private typealias Job = @Sendable () -> Void

    private struct State {
        /// The jobs that have not begun.
        var waiting: [UInt32: [Job]] = [:]
        /// The users who have such jobs and may begin one, in the order of their turns.
        var turns: [UInt32] = []
        /// How many jobs of each user run.
        var atWork: [UInt32: Int] = [:]
        var running = 0
    }

    private let state = Mutex(State())
    private let most: Int
    private let mostOfOne: Int

    /// - Parameters:
    ///   - most: how many jobs run at the same time.
    ///   - mostOfOne: how many of these are one user's.
    init(most: Int, mostOfOne: Int) {
        self.most = most
        self.mostOfOne = mostOfOne
    }

    /// - Parameter body: may block.
    /// - Throws: any error of `body`.
    func run<Value: Sendable>(
        for uid: UInt32, _ body: @escaping @Sendable () throws(Fault) -> Value
    ) async throws(Fault) -> Value {
        let result: Result<Value, Fault> = await withCheckedContinuation { continuation in
            add(uid) {
                do throws(Fault) { continuation.resume(returning: .success(try body())) } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// How many jobs of this user have not begun.
    func waiting(of uid: UInt32) -> Int { state.withLock { $0.waiting[uid]?.count ?? 0 } }

    private func add(_ uid: UInt32, _ job: @escaping Job) {
        state.withLock { state in
            state.waiting[uid, default: []].append(job)
            wait(uid, &state)
        }
        start()
    }

    /// Starts as many jobs as may run.
    private func start() {
        while let (uid, job) = state.withLock({ next(&$0) }) {
            OwnThread.run { [self] in
                job()
                state.withLock { state in
                    state.running -= 1
                    let left = state.atWork[uid, default: 1] - 1
                    state.atWork[uid] = left > 0 ? left : nil
                    wait(uid, &state)
                }
                start()
            }
        }
    }

    /// Has a user wait for a turn, if there is a reason.
    private func wait(_ uid: UInt32, _ state: inout State) {
        guard state.waiting[uid] != nil, state.atWork[uid, default: 0] < mostOfOne, !state.turns.contains(uid) else {
            return
        }
        state.turns.append(uid)
    }

    private func next(_ state: inout State) -> (UInt32, Job)? {
        guard state.running < most, !state.turns.isEmpty else { return nil }
        let uid = state.turns.removeFirst()
        guard var jobs = state.waiting[uid], !jobs.isEmpty else { return nil }
        let job = jobs.removeFirst()
        state.waiting[uid] = jobs.isEmpty ? nil : jobs
        state.atWork[uid, default: 0] += 1
        state.running += 1
        wait(uid, &state)
        return (uid, job)
    }
}
