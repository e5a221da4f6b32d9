import Dispatch
import NIOCore
import NIOPosix
import Synchronization

/// The threads for each user with a connection: one reads and writes, one answers. If there are more users than event
/// loops, users share the first one.
final class UserThreads: Sendable {
    struct Threads: Sendable {
        let loop: any EventLoop
        let executor: UserExecutor
    }

    private struct Entry {
        let threads: Threads
        var connections: Int
    }

    private let loops: [any EventLoop]
    private let entries = Mutex<[UInt32: Entry]>([:])

    init(_ group: MultiThreadedEventLoopGroup) { loops = Array(group.makeIterator()) }

    /// The threads for one more connection of this user.
    func enter(uid: UInt32) -> Threads {
        entries.withLock { entries in
            let entry =
                entries[uid]
                ?? Entry(threads: Threads(loop: freest(entries), executor: UserExecutor()), connections: 0)
            entries[uid] = Entry(threads: entry.threads, connections: entry.connections + 1)
            return entry.threads
        }
    }

    func leave(uid: UInt32) {
        entries.withLock { entries in
            guard let entry = entries[uid] else { return }
            entries[uid] =
                entry.connections > 1 ? Entry(threads: entry.threads, connections: entry.connections - 1) : nil
        }
    }

    /// The event loop with the fewest users.
    private func freest(_ entries: [UInt32: Entry]) -> any EventLoop {
        var users: [ObjectIdentifier: Int] = [:]
        for entry in entries.values { users[ObjectIdentifier(entry.threads.loop), default: 0] += 1 }
        // `loops` is never empty, because a group has at least one thread.
        return loops.min { users[ObjectIdentifier($0), default: 0] < users[ObjectIdentifier($1), default: 0] }
            ?? loops[0]
    }
}

/// Runs the work of one user's connections, one job after the other. The kernel divides the processors between users. A
/// user who asks for much delays only their own calls.
final class UserExecutor: TaskExecutor {
    private let queue = OrderedQueue()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.add { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}

/// Runs work that blocks or computes for long, so that it delays nobody else. Concurrent queues have as many threads
/// as there are processors, and Swift's tasks share them. One user's scrypt on such a thread would delay everybody's
/// calls.
enum OwnThread {
    /// Runs `body` on a thread that runs nothing else meanwhile.
    static func run(_ body: @escaping @Sendable () -> Void) { DispatchQueue(label: "coffer.own").async(execute: body) }
}
