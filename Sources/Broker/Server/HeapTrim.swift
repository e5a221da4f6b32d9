import Dispatch
import Platform
import Synchronization

/// Gives the memory of long lists, calls and replies back to the kernel, some time after they were sent. Those that follow
/// each other soon share one step, because it takes some milliseconds.
final class HeapTrim: Sendable {
    private let isDue = Mutex(false)
    private let trim: @Sendable () -> Void

    init(_ trim: @escaping @Sendable () -> Void = Heap.trim) { self.trim = trim }

    /// - Parameter size: of a list's names and attributes, or of a call and its reply, in bytes.
    func answered(_ size: Int) {
        guard size >= TrimLimits.long else { return }
        let wasDue = isDue.withLock { isDue in
            defer { isDue = true }
            return isDue
        }
        guard !wasDue else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + TrimLimits.delay) { [self] in
            isDue.withLock { $0 = false }
            trim()
        }
    }
}
