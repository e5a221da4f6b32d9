import Dispatch
import Synchronization

/// Runs one piece of work after the other. Waking a thread takes longer than most pieces, so a thread that ends a piece
/// goes on with what that piece has asked of other queues.
///
/// A long piece of one queue delays no other queue. A thread leaves the queue that it came from, and further work there
/// wakes another thread. So a lock does not wait for what the same user's calls have begun.
final class OrderedQueue: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [Work] = []
        /// The thread that runs this queue's work now.
        var runner: WorkThread?
        /// Whether a thread was woken for this queue and has not come yet.
        var isWoken = false
    }

    private let state = Mutex(State())

    /// Runs work after everything that was added before. It does not wait for it.
    func add(_ work: @escaping Work) {
        let thread = WorkThread.current
        let needsThread = state.withLock { state in
            let isAlone = state.waiting.isEmpty
            state.waiting.append(work)
            guard state.runner == nil, !state.isWoken else { return false }
            if isAlone, let thread {
                thread.leave(self)
                return false
            }
            // Also if a thread means to come here next, because its present piece may be long.
            state.isWoken = true
            return true
        }
        if needsThread { WorkThread.wake(for: self) }
    }

    /// Whether the present thread runs a piece of this queue.
    var isCurrent: Bool {
        guard let thread = WorkThread.current else { return false }
        return state.withLock { $0.runner === thread }
    }

    /// The first piece, if no other thread runs this queue.
    fileprivate func begin(_ thread: WorkThread, isWoken: Bool) -> Work? {
        state.withLock { state in
            if isWoken { state.isWoken = false }
            guard state.runner == nil, !state.waiting.isEmpty else { return nil }
            state.runner = thread
            return state.waiting.removeFirst()
        }
    }

    /// The next piece, if the thread stays. If it goes, another is woken for what waits.
    fileprivate func next(stays: Bool) -> Work? {
        let (next, needsThread) = state.withLock { state -> (Work?, Bool) in
            if stays, !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
            state.runner = nil
            guard !state.waiting.isEmpty, !state.isWoken else { return (nil, false) }
            state.isWoken = true
            return (nil, true)
        }
        if needsThread { WorkThread.wake(for: self) }
        return next
    }
}

/// A thread that runs the work of ordered queues. There are at most as many at work as there are queues.
private final class WorkThread: Sendable {
    private static let key = DispatchSpecificKey<WorkThread>()
    /// Threads without work. They live as long as the process, because there are few.
    private static let idle = Mutex<[WorkThread]>([])

    private let queue = DispatchQueue(label: "coffer.work")
    /// The queues to go on with after the present piece.
    private let left = Mutex<[OrderedQueue]>([])

    private init() { queue.setSpecific(key: Self.key, value: self) }

    /// nil on other threads.
    static var current: WorkThread? { DispatchQueue.getSpecific(key: key) }

    static func wake(for first: OrderedQueue) {
        let thread = idle.withLock { $0.popLast() } ?? WorkThread()
        thread.queue.async {
            thread.run(first)
            idle.withLock { $0.append(thread) }
        }
    }

    func leave(_ queue: OrderedQueue) { left.withLock { $0.append(queue) } }

    private func run(_ first: OrderedQueue) {
        var present = first.begin(self, isWoken: true).map { (first, $0) }
        while true {
            if let (queue, work) = present {
                work()
                let isLeft = left.withLock { !$0.isEmpty }
                present = queue.next(stays: !isLeft).map { (queue, $0) }
            } else {
                guard let queue = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                present = queue.begin(self, isWoken: false).map { (queue, $0) }
            }
        }
    }
}

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
