import Authorization
import Platform
import Synchronization
import Vault

/// Challenges that ended without an answer, on their way to the access log of their vault's owner. Each owner has a
/// place of their own, so that no record waits for another's vault, and nobody takes another's room. The code that ends
/// challenges, such as a lock, does not wait for the log.
final class EndedChallenges: Sendable {
    /// What waits for one owner's log.
    struct Waiting: Sendable {
        /// The oldest first, no more than the log takes at once.
        var records: [AccessRecord] = []
        /// How many records came after those, and the event of the last of them.
        var counted = 0
        var lastCounted: AccessRecord.Event?

        fileprivate mutating func add(_ added: [AccessRecord]) {
            let room = LogLimits.refusals - records.count
            records += added.prefix(room)
            counted += max(0, added.count - room)
            if added.count > room { lastCounted = added.last?.event }
        }
    }

    private let waiting = Mutex<[Owner: Waiting]>([:])
    private let telling = Mutex<(@Sendable (Owner) -> Void)?>(nil)

    /// Sets the function that hears of an owner when the first record waits for their log. It must return soon.
    func onFirst(_ tell: @escaping @Sendable (Owner) -> Void) { telling.withLock { $0 = tell } }

    /// The records have the present time, because the log may have its turn later.
    func add(_ challenges: [Challenge], _ outcome: String) {
        // A failed login report was never a request to a person, so it is not logged.
        for challenge in challenges where !challenge.request.isLogin {
            var records = AccessRecord.refusals(of: challenge.withoutSecrets, outcome)
            guard !records.isEmpty else { continue }
            let now = SystemClock.now()
            for index in records.indices { records[index].time = now }
            let isFirst = waiting.withLock { [records] waiting in
                let isFirst = waiting[challenge.owner] == nil
                waiting[challenge.owner, default: Waiting()].add(records)
                return isFirst
            }
            guard isFirst, let tell = telling.withLock({ $0 }) else { continue }
            tell(challenge.owner)
        }
    }

    /// Takes what waits for an owner's log.
    func take(of owner: Owner) -> Waiting { waiting.withLock { $0.removeValue(forKey: owner) } ?? Waiting() }
}

/// Decides which challenges are still valid.
extension ChallengeStore {
    static func live(
        _ id: Challenge.ID, in open: [Challenge.ID: Challenge], at now: ContinuousClock.Instant
    ) throws(ChallengeRefusal) -> Challenge {
        guard let challenge = open[id] else { throw .unknown }
        // The sweep that is due removes the challenge and logs it.
        guard challenge.expires > now else { throw .expired }
        return challenge
    }

    static func dropExpired(
        _ open: inout [Challenge.ID: Challenge], at now: ContinuousClock.Instant
    ) -> [Challenge] {
        let dropped = open.values.filter { $0.expires <= now }
        for challenge in dropped { open[challenge.id] = nil }
        return dropped
    }

    /// Programs that asked and ended without an answer must not count for ever.
    static func dropDead(_ open: inout [Challenge.ID: Challenge], of uid: UInt32)
        -> [Challenge]
    {
        let dropped = open.values.filter { $0.uid == uid && $0.isAbandoned }
        for challenge in dropped { open[challenge.id] = nil }
        return dropped
    }
}

extension Challenge {
    /// Whether the process that it was made for has ended. No other one may use it.
    var isAbandoned: Bool {
        // `try?`: a process that cannot be observed is gone.
        (try? ProcessIdentity(observing: process.pid)) != process
    }
}
