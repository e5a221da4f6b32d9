import Platform
import Synchronization

/// Whether a uid has an account, according to the name service. The broker serves no other uids. A user may have a
/// range of numbers without accounts for containers, and these numbers could take up all connections.
///
/// The name service is asked apart from all connections. An answer is kept for a short while.
final class KnownUsers: Sendable {
    enum Answer: Sendable {
        case known, unknown
        /// The name service does not answer, or has too many questions waiting.
        case unanswered
    }

    typealias Waiter = @Sendable (Answer) -> Void

    private struct Entry {
        let isKnown: Bool
        let time: ContinuousClock.Instant
    }

    private struct State {
        var entries: [UInt32: Entry] = [:]
        /// The callers that wait for an answer, by uid. The list is empty if an old answer is only refreshed.
        var asked: [UInt32: [Waiter]] = [:]
        /// The uids still to be looked up, in order.
        var queue: [UInt32] = []
        var atWork = 0
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

    /// - Parameter body: called with the answer, on any thread, before or after this method returns.
    func ask(_ uid: UInt32, then body: @escaping Waiter) {
        let now = clock.now()
        let answer: Answer? = state.withLock { state in
            if exempt.contains(uid) { return .known }
            if let entry = state.entries[uid],
                now - entry.time < (entry.isKnown ? AccountLimits.memory : AccountLimits.unknownMemory)
            {
                // A known user does not wait, however slow the name service is.
                if entry.isKnown, now - entry.time >= AccountLimits.fresh { Self.add(uid, nil, &state) }
                return entry.isKnown ? .known : .unknown
            }
            guard state.waiting < AccountLimits.waiting,
                state.asked[uid, default: []].count < AccountLimits.waitingOfOne
            else {
                return .unanswered
            }
            Self.add(uid, body, &state)
            return nil
        }
        start()
        if let answer { body(answer) }
    }

    private static func add(_ uid: UInt32, _ waiter: Waiter?, _ state: inout State) {
        if state.asked[uid] == nil {
            state.asked[uid] = []
            state.queue.append(uid)
        }
        guard let waiter else { return }
        state.asked[uid]?.append(waiter)
        state.waiting += 1
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
        guard state.atWork < AccountLimits.workers, !state.queue.isEmpty else { return nil }
        state.atWork += 1
        return state.queue.removeFirst()
    }

    private func remember(_ uid: UInt32, _ isKnown: Bool?) {
        let now = clock.now()
        let waiters = state.withLock { state in
            state.atWork -= 1
            if let isKnown {
                if state.entries.count >= AccountLimits.entries {
                    state.entries = state.entries.filter { $0.value.isKnown }
                }
                if state.entries.count >= AccountLimits.entries { state.entries = [:] }
                state.entries[uid] = Entry(isKnown: isKnown, time: now)
            }
            let waiters = state.asked.removeValue(forKey: uid) ?? []
            state.waiting -= waiters.count
            return waiters
        }
        let answer: Answer = isKnown.map { $0 ? .known : .unknown } ?? .unanswered
        for waiter in waiters { waiter(answer) }
    }
}
