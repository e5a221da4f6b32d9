import Synchronization

/// The first of several results that race. Later ones are dropped.
package final class FirstResult<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, Never>)
        case ended(Value)
    }

    private let state = Mutex(State.open)

    package init() {}

    package var hasEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    /// - Returns: whether this is the first result.
    @discardableResult
    package func end(with value: Value) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            defer { if case .ended = state {} else { state = .ended(value) } }
            return switch state {
            case .open: (true, nil)
            case .waiting(let continuation): (true, continuation)
            case .ended: (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return isFirst
    }

    /// Waits for the first result. Only one task may wait.
    package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let ended = state.withLock { state -> Value? in
                    if case .ended(let value) = state { return value }
                    state = .waiting(continuation)
                    return nil
                }
                if let ended { continuation.resume(returning: ended) }
            }
        }
    }
}
