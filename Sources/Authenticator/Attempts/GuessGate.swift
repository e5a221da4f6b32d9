import PAM
import Platform

/// Holds answers back before PAM gets them. One answer of a user is judged at a time, across all processes, and each counts before it is judged. No
/// lock is held while a person thinks or while a client is waited for.
struct GuessGate {
    let attempts: AttemptLog

    /// How often the gate checks whether the other guess has been judged.
    private static let pace = Duration.milliseconds(50)

    /// Waits for an answer's turn and tells the client why.
    /// - Returns: a lock to hold until PAM has judged the answer.
    func pass(_ session: inout ClientSession) throws(ConversationError) -> FileLock {
        var isTold = false
        while true {
            switch try attempts.begin() {
            case .taken(let lock): return lock
            case .busy:
                if !isTold {
                    isTold = true
                    let text = "Another answer is being checked; this one is next."
                    _ = try session.show(Message(style: .info, text: text))
                }
                _ = try session.next(of: nil, until: .now + Self.pace)
            case .delayed(let delay): try wait(delay, &session)
            }
        }
    }

    /// Waits for the delay that earlier failures cause, before a person is asked.
    func waitOut(_ session: inout ClientSession) throws(ConversationError) {
        let delay = try attempts.wait()
        if delay > .zero { try wait(delay, &session) }
    }

    private func wait(_ delay: Duration, _ session: inout ClientSession) throws(ConversationError) {
        let end = ContinuousClock.now + delay
        let seconds = Int((delay / .seconds(1)).rounded(.up))
        let text = "There were failed tries. You can try again in \(seconds) s."
        _ = try session.show(Message(style: .info, text: text))
        _ = try session.next(of: nil, until: end)
    }
}
