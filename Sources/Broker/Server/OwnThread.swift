import Dispatch

/// Runs work that blocks or computes for long, so that it delays nobody else. Concurrent queues have as many threads
/// as there are processors, and Swift's tasks share them. One user's scrypt on such a thread would delay everybody's
/// calls.
enum OwnThread {
    /// Runs `body` on a thread that runs nothing else meanwhile.
    static func run(_ body: @escaping @Sendable () -> Void) { DispatchQueue(label: "coffer.own").async(execute: body) }
}
