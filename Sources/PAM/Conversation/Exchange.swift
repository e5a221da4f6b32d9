public import Cryptography
internal import Glibc
internal import Synchronization

/// Connects the thread that runs PAM and the thread that holds the client's connection. Messages go one way and answers the other, one at a time.
///
/// ``descriptor`` becomes readable when there is an event, so that `poll` can watch it together with the client's connection.
public final class Exchange: Conversation {
    /// An event for the connection's side.
    public enum Event: Sendable, Equatable {
        case message(Message)
        /// The transaction has ended.
        case finished(Outcome)
    }

    /// How a transaction ended.
    public enum Outcome: Sendable, Equatable {
        /// Every rule accepted the person, and this is what the `auth` rules did with them.
        case accepted(Contact)
        case refused(PAMError)
    }

    private struct State {
        var event: Event?
        /// A message that was taken and still needs its answer.
        var pending: Message?
        var answer: SecretBytes?
        var hasAnswer = false
        var interruption: Interruption?
    }

    private let state = Mutex(State())
    private let deadline: ContinuousClock.Instant
    private let toFront: Signal
    private let toModule: Signal

    /// - Parameter deadline: when the conversation ends in any case.
    /// - Throws: ``PAMError`` if no descriptor is left.
    public init(deadline: ContinuousClock.Instant) throws(PAMError) {
        guard let toFront = Signal(), let toModule = Signal() else {
            throw PAMError(.misconfigured, call: .start, reason: "no file descriptor is left")
        }
        self.deadline = deadline
        self.toFront = toFront
        self.toModule = toModule
    }

    // MARK: The module's side

    public func respond(to message: Message) throws(Interruption) -> SecretBytes? {
        state.withLock { $0.event = .message(message) }
        toFront.raise()
        while true {
            let step: Result<SecretBytes?, Interruption>? = state.withLock { state in
                if let interruption = state.interruption { return .failure(interruption) }
                guard state.hasAnswer else { return nil }
                let answer = state.answer
                state.answer = nil
                state.hasAnswer = false
                return .success(answer)
            }
            if let step { return try step.get() }
            guard toModule.wait(until: deadline) else { throw .timedOut }
        }
    }

    public func pause(microseconds: UInt32) {
        let end = min(deadline, .now + .microseconds(Int64(microseconds)))
        while state.withLock({ $0.interruption == nil }), toModule.wait(until: end) {}
    }

    func finish(_ outcome: Outcome) {
        state.withLock { $0.event = .finished(outcome) }
        toFront.raise()
    }

    // MARK: The connection's side

    /// Readable when ``next()`` has an event.
    public var descriptor: CInt { toFront.descriptor }

    /// The latest event, if there is one. Does not block.
    public func next() -> Event? {
        toFront.clear()
        return state.withLock { state in
            defer { state.event = nil }
            if case .message(let message) = state.event { state.pending = message }
            return state.event
        }
    }

    /// Answers the message that was taken last. The answer is nil for a message that takes none.
    ///
    /// - Returns: false if no message waits, or if the answer does not suit it. Nothing has changed then.
    public func answer(_ answer: SecretBytes?) -> Bool {
        let accepted = state.withLock { state in
            guard let pending = state.pending, pending.style.wantsAnswer == (answer != nil) else { return false }
            state.pending = nil
            state.answer = answer
            state.hasAnswer = true
            return true
        }
        if accepted { toModule.raise() }
        return accepted
    }

    /// Ends the conversation early. Only the first reason counts.
    public func interrupt(_ reason: Interruption) {
        state.withLock { if $0.interruption == nil { $0.interruption = reason } }
        toModule.raise()
    }
}
