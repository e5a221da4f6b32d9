import Platform
import Synchronization

/// Whether a uid has an account, according to the name service. The broker serves no other uids. A user may have a
/// range of numbers without accounts for containers, and these numbers could take up all connections.
///
/// The name service is asked apart from all connections. An answer is kept for a short while. A uid that was known
/// once, or owns a vault, goes before all others, which are strange.
final class KnownUsers: Sendable {
    enum Answer: Sendable {
        case known, unknown
        /// The name service does not answer.
        case unanswered
        /// Too many connections of strange uids wait for its answers.
        case tooMany
    }

    typealias Waiter = @Sendable (Answer) -> Void

    private struct Entry {
        let isKnown: Bool
        let time: ContinuousClock.Instant

        /// What it still says at a time; nil if it is too old.
        func answer(at now: ContinuousClock.Instant) -> Answer? {
            guard now - time < (isKnown ? AccountLimits.memory : AccountLimits.unknownMemory) else { return nil }
            return isKnown ? .known : .unknown
        }
    }

    /// What the name service is asked about one uid.
    private struct Question {
        let isStrange: Bool
        /// The connections that wait for the answer; none if an old answer is only refreshed.
        var waiters: [Waiter] = []
    }

    private struct State {
        var entries: [UInt32: Entry] = [:]
        var asked: [UInt32: Question] = [:]
        /// The uids still to be looked up, in order.
        var queue: [UInt32] = []
        var strangers: [UInt32] = []
        var atWork = 0
        var strangersAtWork = 0
        /// How many connections of strange uids wait.
        var waiting = 0
    }

    private let exempt: Set<UInt32>
    private let clock: BrokerClock
    private let lookUp: @Sendable (UInt32) throws -> Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - exempt: uids that are never looked up: Coffer's own accounts.
    ///   - lookUp: asks the name service; may block.
    init(
        exempt: Set<UInt32>, clock: BrokerClock,
        lookUp: @escaping @Sendable (UInt32) throws -> Bool = { try Account.withUID($0) != nil }
    ) {
        self.exempt = exempt
        self.clock = clock
        self.lookUp = lookUp
    }

    /// - Parameters:
    ///   - isOwner: whether the uid owns a vault, so that it surely is a user's.
    ///   - body: called with the answer, on any thread, before or after this method returns.
    func ask(_ uid: UInt32, isOwner: @autoclosure () -> Bool = false, then body: @escaping Waiter) {
        if exempt.contains(uid) { return body(.known) }
        let now = clock.now()
        let (kept, wasKnown) = state.withLock { state -> (Answer?, Bool) in
            guard let entry = state.entries[uid] else { return (nil, false) }
            let answer = entry.answer(at: now)
            // A known user does not wait, however slow the name service is.
            if answer == .known, now - entry.time >= AccountLimits.fresh {
                _ = Self.add(uid, isStrange: false, nil, &state)
            }
            return (answer, entry.isKnown)
        }
        if let kept {
            start()
            return body(kept)
        }
        let isStrange = !wasKnown && !isOwner()
        let isWaiting = state.withLock { Self.add(uid, isStrange: isStrange, body, &$0) }
        start()
        if !isWaiting { body(.tooMany) }
    }

    /// Whether the name service said a moment ago that this uid has no account.
    func isUnknown(_ uid: UInt32) -> Bool {
        let now = clock.now()
        return state.withLock { $0.entries[uid]?.answer(at: now) } == .unknown
    }

    /// - Returns: false if too many connections of strange uids wait. They hold their places meanwhile, and half of
    ///   the room is for uids with few of them.
    private static func add(_ uid: UInt32, isStrange: Bool, _ waiter: Waiter?, _ state: inout State) -> Bool {
        let present = state.asked[uid]
        var question = present ?? Question(isStrange: isStrange)
        if let waiter {
            if question.isStrange {
                let isOneOfFew = question.waiters.count < AccountLimits.few
                guard state.waiting < (isOneOfFew ? AccountLimits.waiting : AccountLimits.waiting / 2) else {
                    return false
                }
                state.waiting += 1
            }
            question.waiters.append(waiter)
        }
        state.asked[uid] = question
        if present == nil {
            if isStrange { state.strangers.append(uid) } else { state.queue.append(uid) }
        }
        return true
    }

    private func start() {
        while let uid = state.withLock({ Self.next(&$0) }) {
            OwnThread.run { [self] in
                // `try?`: if the name service fails, the uid is neither known nor unknown.
                let isKnown = try? lookUp(uid)
                remember(uid, isKnown)
                start()
            }
        }
    }

    private static func next(_ state: inout State) -> UInt32? {
        guard state.atWork < AccountLimits.workers else { return nil }
        if !state.queue.isEmpty {
            state.atWork += 1
            return state.queue.removeFirst()
        }
        // One thread is left for the others, because a strange uid may take the name service long.
        guard state.strangersAtWork < AccountLimits.workers - 1, !state.strangers.isEmpty else { return nil }
        state.atWork += 1
        state.strangersAtWork += 1
        return state.strangers.removeFirst()
    }

    private func remember(_ uid: UInt32, _ isKnown: Bool?) {
        let now = clock.now()
        let waiters = state.withLock { state -> [Waiter] in
            state.atWork -= 1
            if let isKnown {
                if state.entries.count >= AccountLimits.entries {
                    state.entries = state.entries.filter { $0.value.isKnown }
                }
                if state.entries.count >= AccountLimits.entries { state.entries = [:] }
                state.entries[uid] = Entry(isKnown: isKnown, time: now)
            }
            guard let question = state.asked.removeValue(forKey: uid) else { return [] }
            if question.isStrange {
                state.strangersAtWork -= 1
                state.waiting -= question.waiters.count
            }
            return question.waiters
        }
        let answer: Answer = isKnown.map { $0 ? .known : .unknown } ?? .unanswered
        for waiter in waiters { waiter(answer) }
    }
}
