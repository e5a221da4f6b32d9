import Logging
import Synchronization

/// The lines about calls in the broker's own log. A call costs a user nothing, and the service manager's journal drops
/// everybody's lines if there are too many. So each user has a pace. Calls beyond it are counted, and a line says how
/// many.
final class CallLog: Sendable {
    /// One user's lines.
    private struct Account {
        /// When the user may have as many lines at once as after a break.
        var full: ContinuousClock.Instant
        /// How many calls were counted since the last line.
        var counted = 0
        /// Whether a timer will tell the count.
        var isTimed = false
    }

    private struct State {
        var users: [UInt32: Account] = [:]
        /// When the users who have had a break were last forgotten.
        var swept: ContinuousClock.Instant
    }

    private enum Verdict {
        /// - counted: how many calls before this one have no line.
        case line(counted: Int)
        case counts(needsTimer: Bool)
    }

    private let kind: String
    private let logger: Logger
    private let clock: BrokerClock
    private let state: Mutex<State>

    /// - Parameter kind: what each line begins with.
    init(_ kind: String, _ logger: Logger, clock: BrokerClock) {
        self.kind = kind
        self.logger = logger
        self.clock = clock
        state = Mutex(State(swept: clock.now()))
    }

    /// How many users it remembers.
    var userCount: Int { state.withLock { $0.users.count } }

    /// Logs a user's call, or counts it.
    func note(of uid: UInt32, _ fields: Logger.Metadata) {
        let now = clock.now()
        let verdict = state.withLock { Self.judge(uid, at: now, &$0) }
        switch verdict {
        case .line(let counted):
            tell(counted, of: uid)
            logger.info("\(kind)", metadata: fields)
        case .counts(let needsTimer):
            if needsTimer { clock.after(LogLimits.countDelay) { [weak self] in self?.tellCount(of: uid) } }
        }
    }

    private static func judge(_ uid: UInt32, at now: ContinuousClock.Instant, _ state: inout State) -> Verdict {
        let whole = LogLimits.callPause * LogLimits.calls
        if now - state.swept >= whole {
            state.users = state.users.filter { $0.value.full > now || $0.value.isTimed }
            state.swept = now
        }
        var user = state.users[uid] ?? Account(full: now)
        defer { state.users[uid] = user }
        let full = max(user.full, now) + LogLimits.callPause
        guard full - now <= whole else {
            let needsTimer = !user.isTimed
            user.counted += 1
            user.isTimed = true
            return .counts(needsTimer: needsTimer)
        }
        user.full = full
        let counted = user.counted
        user.counted = 0
        return .line(counted: counted)
    }

    /// The time for the count has come, even if the user makes no more calls.
    private func tellCount(of uid: UInt32) {
        let counted = state.withLock { state in
            let counted = state.users[uid]?.counted ?? 0
            state.users[uid]?.counted = 0
            state.users[uid]?.isTimed = false
            return counted
        }
        tell(counted, of: uid)
    }

    private func tell(_ counted: Int, of uid: UInt32) {
        guard counted > 0 else { return }
        logger.info(
            "\(kind): more were not logged one by one", metadata: ["uid": "\(uid)", "count": "\(counted)"])
    }
}
