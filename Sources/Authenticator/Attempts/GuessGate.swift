import PAM
import Platform

/// Holds answers back before PAM gets them. One answer of a user is judged at a time, across all processes, and each counts before it is judged. No
/// lock is held while a person thinks or while a client is waited for.
struct GuessGate {
    let attempts: AttemptLog
    let line: GuessLine

    /// How often the gate checks whether the other guess has been judged.
    private static let pace = Duration.milliseconds(50)
    /// How often it checks during a delay, which another program's right answer can end.
    private static let look = Duration.seconds(1)

    /// Waits for an answer's turn and tells the client why.
    /// - Returns: a lock to hold until PAM has judged the answer.
    func pass(_ session: inout ClientSession) throws(ConversationError) -> FileLock {
        let answer = line.answer()
        do throws(ConversationError) { return try turn(of: answer, &session) } catch {
            // `try?`: the answer of a process that has ended holds up nobody.
            try? line.leave(answer)
            guard error == .timedOut else { throw error }
            // `try?`: without the count, the other reason is told.
            let hasOthers = (try? line.hasOthers(than: answer)) ?? false
            throw .refused(.keptWaiting(byOthers: hasOthers))
        }
    }

    /// Waits for the delay that earlier failures cause, before a person is asked.
    func waitOut(_ session: inout ClientSession) throws(ConversationError) {
        let delay = try attempts.wait()
        guard delay > .zero else { return }
        let end = ContinuousClock.now + delay
        let text = "There were failed tries. You can try again in \(WaitingNews.seconds(delay)) s."
        _ = try session.show(Message(style: .info, text: text))
        _ = try session.next(of: nil, until: end)
    }

    private func turn(
        of answer: GuessQueue.Waiting, _ session: inout ClientSession
    ) throws(ConversationError) -> FileLock {
        var news = WaitingNews()
        var isWaiting = false
        while true {
            let isNext = try line.isNext(answer, joins: isWaiting)
            isWaiting = true
            var delay = Duration.zero
            if isNext {
                switch try attempts.begin() {
                case .taken(let lock):
                    try line.judge(answer)
                    return lock
                case .busy: break
                case .delayed(let left): delay = left
                }
            } else {
                delay = try attempts.wait()
            }
            if let text = news.text(isNext: isNext, delay: delay) {
                // A client that does not go on must hold up nobody.
                try line.leave(answer)
                _ = try session.show(Message(style: .info, text: text))
            } else {
                let pause = delay > .zero ? min(delay, Self.look) : Self.pace
                _ = try session.next(of: nil, until: .now + pause)
            }
        }
    }
}

/// What the client of an answer that waits is told: once that others are judged, and each delay once.
struct WaitingNews {
    private var isTold = false
    /// When the delay ends that was told.
    private var end: ContinuousClock.Instant?

    /// - Parameters:
    ///   - isNext: whether no other answer is judged before.
    ///   - delay: until the next answer is judged; zero if another one is being judged.
    /// - Returns: nil if there is nothing new.
    mutating func text(isNext: Bool, delay: Duration, at now: ContinuousClock.Instant = .now) -> String? {
        guard delay > .zero else {
            guard !isTold else { return nil }
            isTold = true
            return "Another answer is being checked; this one " + (isNext ? "is next." : "waits for its turn.")
        }
        let end = now + delay
        // Two looks at one delay differ by less.
        if let told = self.end, end - told < .seconds(1) { return nil }
        self.end = end
        let subject = isNext ? "Your answer" : "The next answer"
        let rest = isNext ? "" : " Others are checked before yours."
        return "There were failed tries. \(subject) is checked in \(Self.seconds(delay)) s.\(rest)"
    }

    /// Whole seconds, rounded up.
    static func seconds(_ delay: Duration) -> Int { Int((delay / .seconds(1)).rounded(.up)) }
}
