import Dispatch

/// Runs an actor on a dispatch queue of its own, because all tasks share few threads and disk work would block them.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs `body` after everything that the actor was asked for so far. It does not wait for it.
    func inTurn(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}
