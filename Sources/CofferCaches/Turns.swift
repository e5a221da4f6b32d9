import Synchronization

/// Runs operations one after the other, in the order in which they were asked for. Each one runs to its end.
final class Turns: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let task = last.withLock { last in
            let former = last
            let task = Task {
                await former?.value
                return await body()
            }
            last = Task { _ = await task.value }
            return task
        }
        return await task.value
    }
}
