import Platform
import Synchronization

/// The callers of an agent, one after the other. A person sees one prompt at a time.
final class PromptQueue: Sendable {
    private struct State {
        var isTaken = false
        /// Those who wait, the first one first.
        var waiting: [WakeSignal] = []
    }

    private let state = Mutex(State())

    /// How many callers wait or are asked.
    var count: Int { state.withLock { ($0.isTaken ? 1 : 0) + $0.waiting.count } }

    /// The right to ask now. It passes on to the next caller with this value's end.
    struct Turn: ~Copyable {
        fileprivate let queue: PromptQueue

        deinit { queue.passOn() }
    }

    /// Waits for the turn.
    /// - Parameter caller: its connection. A caller that is gone waits no longer.
    /// - Returns: nil if the caller is gone.
    func take(for caller: Int32) throws(SystemError) -> Turn? {
        let signal = try WakeSignal()
        let isMine = state.withLock { state in
            if state.isTaken {
                state.waiting.append(signal)
                return false
            }
            state.isTaken = true
            return true
        }
        if isMine { return Turn(queue: self) }
        // `try?`: a wait that fails ends like one for a caller that is gone.
        let ready = try? Readiness.wait(for: [(signal.number, .input), (caller, .hangUp)], until: nil)
        if ready?[1] == false { return Turn(queue: self) }
        let hasTurn = state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0 === signal }) else { return true }
            state.waiting.remove(at: place)
            return false
        }
        // The turn came together with the caller's end.
        if hasTurn { passOn() }
        return nil
    }

    private func passOn() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil as WakeSignal?
            }
            return state.waiting.removeFirst()
        }
        next?.raise()
    }
}
