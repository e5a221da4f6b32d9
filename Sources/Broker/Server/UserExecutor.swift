import Dispatch
import Synchronization

/// Runs the work of one user's connections, one job after the other on a thread of its own. The kernel divides the
/// processors between users. A user who asks for much delays only their own calls.
final class UserExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init() { queue = DispatchQueue(label: "coffer.user") }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}
