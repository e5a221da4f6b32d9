import Synchronization

/// How often something still happens. Without a number, it always does.
final class Ration: Sendable {
    private let left = Mutex(Int.max)

    func set(_ count: Int) { left.withLock { $0 = count } }

    /// - Returns: false if it was used up before.
    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
