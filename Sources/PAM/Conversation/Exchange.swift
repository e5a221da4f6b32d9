public import Cryptography
internal import Glibc
internal import Synchronization

/// Where the thread that runs PAM and the thread that holds the connection meet: messages go one way, answers the other, one at a time.
///
/// ``descriptor`` becomes readable when there is something to take, so that a connection can be watched with `poll` along with it.
public final class Exchange: Conversation {
    /// What the connection's side takes.
    public enum Event: Sendable, Equatable {
        case message(Message)
        /// nil: authenticated.
        case finished(PAMError?)
    }

    private struct State {
        var event: Event?
        /// A message was taken and its answer is owed.
        var pending: Message?
        var answer: SecretBytes?
        var hasAnswer = false
        var interruption: Interruption?
    }

    private let state = Mutex(State())
    private let deadline: ContinuousClock.Instant
    private let toFront: Signal
    private let toModule: Signal

    /// - Parameter deadline: when the conversation is over, whatever happens.
    /// - Throws: ``PAMError`` where no descriptor is left.
    public init(deadline: ContinuousClock.Instant) throws(PAMError) {
        guard let toFront = Signal(), let toModule = Signal() else {
            throw PAMError(.misconfigured, stage: .start, reason: "No file descriptor is left.")
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

    func finish(_ error: PAMError?) {
        state.withLock { $0.event = .finished(error) }
        toFront.raise()
    }

    // MARK: The connection's side

    /// Readable when ``next()`` has something.
    public var descriptor: CInt { toFront.descriptor }

    /// What happened last, if anything did. Does not block.
    public func next() -> Event? {
        toFront.clear()
        return state.withLock { state in
            defer { state.event = nil }
            if case .message(let message) = state.event { state.pending = message }
            return state.event
        }
    }

    /// Gives the answer to the message taken last; nil for a message that takes none.
    ///
    /// - Returns: false when no message waits, or the answer does not suit it: nothing has changed then.
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

    /// Breaks the conversation off. The first reason counts.
    public func interrupt(_ reason: Interruption) {
        state.withLock { if $0.interruption == nil { $0.interruption = reason } }
        toModule.raise()
    }
}
