import Synchronization
import Varlink

/// Asks the name service for users' calls, on threads of their own. A name service that hangs holds a thread for each
/// question. So few run at the same time, fewer of one user, and users take turns.
final class NameQuestions: Sendable {
    private typealias Job = @Sendable () -> Void

    private struct State {
        /// The questions that have not begun.
        var waiting: [UInt32: [Job]] = [:]
        /// The users who have such questions, in the order of their turns.
        var turns: [UInt32] = []
        var atWork: [UInt32: Int] = [:]
        var all = 0
    }

    private let state = Mutex(State())

    /// - Parameter body: asks the name service; may block.
    /// - Throws: any error of `body`.
    func ask<Value: Sendable>(
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

    private func add(_ uid: UInt32, _ job: @escaping Job) {
        state.withLock { state in
            if state.waiting[uid] == nil { state.turns.append(uid) }
            state.waiting[uid, default: []].append(job)
        }
        start()
    }

    /// Starts as many questions as may run.
    private func start() {
        while let (uid, job) = state.withLock({ Self.next(&$0) }) {
            OwnThread.run { [self] in
                job()
                state.withLock { state in
                    state.all -= 1
                    let left = state.atWork[uid, default: 1] - 1
                    state.atWork[uid] = left > 0 ? left : nil
                }
                start()
            }
        }
    }

    private static func next(_ state: inout State) -> (UInt32, Job)? {
        guard state.all < AccountLimits.questions else { return nil }
        let atWork = state.atWork
        guard let turn = state.turns.firstIndex(where: { atWork[$0, default: 0] < AccountLimits.questionsOfOne })
        else { return nil }
        let uid = state.turns.remove(at: turn)
        guard var jobs = state.waiting[uid], !jobs.isEmpty else { return nil }
        let job = jobs.removeFirst()
        state.waiting[uid] = jobs.isEmpty ? nil : jobs
        if !jobs.isEmpty { state.turns.append(uid) }
        state.atWork[uid, default: 0] += 1
        state.all += 1
        return (uid, job)
    }
}

extension AccountLimits {
    /// How many questions of calls are asked at the same time. The unit allows the broker 256 threads.
    static let questions = 32
    /// How many of these one user's calls ask.
    static let questionsOfOne = 4
}
