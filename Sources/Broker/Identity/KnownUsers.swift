import Platform
import Synchronization

/// Whether a uid is an account's, by the name service's word. Nobody else is talked to: a range of numbers without accounts, which anybody may have for his
/// containers, would take every place that there is.
///
/// The name service is asked apart from all connections, and an answer is kept for a short while.
final class KnownUsers: Sendable {
    enum Answer: Sendable {
        case known, unknown
        /// The name service does not answer, or has too much to answer.
        case unanswered
    }

    typealias Waiter = @Sendable (Answer) -> Void

    private struct Entry {
        let isKnown: Bool
        let time: ContinuousClock.Instant
    }

    private struct State {
        var entries: [UInt32: Entry] = [:]
        /// Those who wait for an answer, by uid; nobody where an old answer is only looked at again.
        var asked: [UInt32: [Waiter]] = [:]
        /// What is still to be asked, in order.
        var queue: [UInt32] = []
        var atWork = 0
        var waiting = 0
    }

    /// Answers this old are asked again, while the old one still counts for those who are known.
    private static let fresh = Duration.seconds(30)
    private static let memory = Duration.seconds(600)
    /// An account that was just made is known this soon.
    private static let unknownMemory = Duration.seconds(2)
    private static let mostEntries = 4096
    private static let mostWaiting = 128
    private static let mostWaitingOfOne = 8
    /// Questions to the name service at the same time.
    private static let workers = 4

    private let exempt: Set<UInt32>
    private let clock: BrokerClock
    private let lookUp: @Sendable (UInt32) throws -> Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - exempt: those whom nobody is asked about: Coffer's own accounts.
    ///   - lookUp: asks the name service; may block.
    init(
        exempt: Set<UInt32>, clock: BrokerClock,
        lookUp: @escaping @Sendable (UInt32) throws -> Bool = { try Account.withUID($0) != nil }
    ) {
        self.exempt = exempt
        self.clock = clock
        self.lookUp = lookUp
    }

    /// - Parameter body: called with the answer, on any thread, before or after this returns.
    func ask(_ uid: UInt32, then body: @escaping Waiter) {
        let now = clock.now()
        let answer: Answer? = state.withLock { state in
            if exempt.contains(uid) { return .known }
            if let entry = state.entries[uid], now - entry.time < (entry.isKnown ? Self.memory : Self.unknownMemory) {
                // Who is known waits for nobody, however slow the name service is.
                if entry.isKnown, now - entry.time >= Self.fresh { Self.add(uid, nil, &state) }
                return entry.isKnown ? .known : .unknown
            }
            guard state.waiting < Self.mostWaiting, state.asked[uid, default: []].count < Self.mostWaitingOfOne else {
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
                // What the name service cannot say is no word for anybody.
                let isKnown = try? lookUp(uid)
                remember(uid, isKnown)
                start()
            }
        }
    }

    private static func next(_ state: inout State) -> UInt32? {
        guard state.atWork < workers, !state.queue.isEmpty else { return nil }
        state.atWork += 1
        return state.queue.removeFirst()
    }

    private func remember(_ uid: UInt32, _ isKnown: Bool?) {
        let now = clock.now()
        let waiters = state.withLock { state in
            state.atWork -= 1
            if let isKnown {
                if state.entries.count >= Self.mostEntries { state.entries = state.entries.filter { $0.value.isKnown } }
                if state.entries.count >= Self.mostEntries { state.entries = [:] }
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
