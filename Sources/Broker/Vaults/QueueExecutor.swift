import Dispatch

/// Runs an actor on a dispatch queue of its own, so that its disk work never takes one of the few threads that all tasks share.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs something after all that the actor has been asked for so far, without waiting for it.
    func inTurn(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}
