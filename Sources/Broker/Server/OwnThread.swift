import Dispatch

/// Where what waits, or computes for long, keeps nobody else from going on. Concurrent queues have as many threads as there are processors, and Swift's tasks
/// run on the same ones: somebody's scrypt there would keep everybody's calls waiting.
enum OwnThread {
    /// Runs a body on a thread that nothing else runs on meanwhile.
    static func run(_ body: @escaping @Sendable () -> Void) { DispatchQueue(label: "coffer.own").async(execute: body) }
}
