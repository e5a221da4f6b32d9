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
