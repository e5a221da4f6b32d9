/// Runs an actor on an ordered queue, because all tasks share few threads and disk work would block them.
final class QueueExecutor: SerialExecutor {
    private let queue = OrderedQueue()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.add { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs `body` after everything that the actor was asked for so far. It does not wait for it.
    func inTurn(_ body: @escaping @Sendable () -> Void) { queue.add(body) }

    func checkIsolated() { precondition(queue.isCurrent, "not in the actor's turn") }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}
