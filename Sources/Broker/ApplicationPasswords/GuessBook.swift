import Synchronization
import Vault

/// Slows down guessing at application passwords. Each item has its own count for each user. A user who knows the
/// password of one item cannot use it to reset the failures of another. The guesses of one user slow nobody else
/// down.
final class GuessBook: Sendable {
    private struct Key: Hashable {
        let uid: UInt32
        let item: ItemID
    }

    private struct Record {
        /// Tries begun since the last success. Each try counts as it begins, so that tries running side by side do
        /// not share one count.
        var begun = 0
        /// When the next try may begin.
        var next: ContinuousClock.Instant
        var last: ContinuousClock.Instant
    }

    private let clock: BrokerClock
    private let records = Mutex<[Key: Record]>([:])

    init(clock: BrokerClock) { self.clock = clock }

    /// Counts a try before its outcome is known.
    /// - Returns: how long the caller must wait before the try may begin; nil if it may begin now.
    func begin(_ item: ItemID, by uid: UInt32) -> Duration? {
        let now = clock.now()
        return records.withLock { records in
            records = records.filter { now - $0.value.last < GuessLimits.memory }
            let key = Key(uid: uid, item: item)
            var record = records[key] ?? Record(next: now, last: now)
            guard record.next <= now else { return record.next - now }
            record.begun += 1
            record.last = now
            record.next = now + Self.delay(after: record.begun)
            records[key] = record
            return nil
        }
    }

    func succeeded(_ item: ItemID, by uid: UInt32) {
        records.withLock { $0[Key(uid: uid, item: item)] = nil }
    }

    /// The delay is zero after the first two tries. Then it is 1, 2, 4, 8, 16 and at most 30 seconds.
    static func delay(after begun: Int) -> Duration {
        guard begun >= GuessLimits.free else { return .zero }
        return min(.seconds(1 << min(begun - GuessLimits.free, 10)), GuessLimits.longestDelay)
    }
}
