import Dispatch
import Synchronization

/// Runs what one user's connections take, one thing after the other on a thread of their own: between users the kernel shares the processors out, and who asks
/// for much waits for himself.
final class UserExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init() { queue = DispatchQueue(label: "coffer.user") }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}

/// One executor for each user who has a connection.
final class UserExecutors: Sendable {
    private let executors = Mutex<[UInt32: (executor: UserExecutor, connections: Int)]>([:])

    /// For one more connection.
    func enter(uid: UInt32) -> UserExecutor {
        executors.withLock { executors in
            let entry = executors[uid] ?? (UserExecutor(), 0)
            executors[uid] = (entry.executor, entry.connections + 1)
            return entry.executor
        }
    }

    func leave(uid: UInt32) {
        executors.withLock { executors in
            guard let entry = executors[uid] else { return }
            executors[uid] = entry.connections > 1 ? (entry.executor, entry.connections - 1) : nil
        }
    }
}
