import BrokerProtocol
import Cryptography
import Synchronization
import Varlink
import Vault

/// Decodes and stretches the application passwords of calls, and counts failed tries.
struct ApplicationPasswords: Sendable {
    private let stretcher: PasswordStretcher
    private let guesses: GuessCounts

    init(clock: BrokerClock, budgets: UserBudgets) {
        stretcher = PasswordStretcher(budgets: budgets)
        guesses = GuessCounts(clock: clock)
    }

    /// Stretches a password that is to be stored.
    ///
    /// - Parameter salt: of the item's fields that stay as they are; nil if all are sealed anew.
    func stretch(
        _ password: SecretBytes, salt: [UInt8]? = nil, for request: Request
    ) async throws(Fault) -> StretchedPassword {
        try request.secrets.take(StretchedPassword.keyCount)
        return try await stretcher.run(for: request.caller.uid, unless: request.isAbandoned) { () throws(VaultError) in
            guard let salt else { return try StretchedPassword(password) }
            return try StretchedPassword(password, salt: salt)
        }
    }

    /// Stretches a password to read an item. The call counts as a failed try until `succeeded` is called.
    /// - Throws: `ApplicationPasswordRefused` if too many tries have begun; the user can try again after a delay.
    ///   `LimitExceeded` if too many wait. That one is no try.
    func attempt(
        _ password: SecretBytes, salt: [UInt8], at item: ItemID, for request: Request
    ) async throws(Fault) -> StretchedPassword {
        try request.secrets.take(StretchedPassword.keyCount)
        if let wait = guesses.begin(item, by: request.caller.uid) {
            let seconds = Int((wait / .seconds(1)).rounded(.up))
            throw Fault(
                .applicationPasswordRefused,
                "there were too many tries with application passwords", advice: "try again in \(seconds) s")
        }
        do throws(Fault) {
            return try await stretcher.run(for: request.caller.uid, unless: request.isAbandoned) {
                () throws(VaultError) in
                try StretchedPassword(password, salt: salt)
            }
        } catch {
            // Without its stretched form, nothing was learned of the password.
            guesses.takeBack(item, by: request.caller.uid)
            throw error
        }
    }

    func succeeded(at item: ItemID, by uid: UInt32) { guesses.succeeded(item, by: uid) }
}

/// Slows down guessing at application passwords. Each item has its own count for each user. A user who knows the
/// password of one item cannot use it to reset the failures of another. The guesses of one user slow nobody else
/// down.
final class GuessCounts: Sendable {
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

    /// A try that was counted did not take place.
    func takeBack(_ item: ItemID, by uid: UInt32) {
        records.withLock { records in
            let key = Key(uid: uid, item: item)
            guard var record = records[key] else { return }
            record.begun -= 1
            record.next = record.last + Self.delay(after: record.begun)
            records[key] = record.begun > 0 ? record : nil
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
