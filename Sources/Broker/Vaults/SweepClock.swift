import Vault

/// Decides whether the machine's clock is believed when something is deleted because its time has passed. A clock that
/// is years ahead for a minute must delete nothing for good.
struct SweepClock {
    /// What the machine's clock showed at an instant of the clock that nobody sets.
    private struct Reading {
        let wall: UInt64
        let instant: ContinuousClock.Instant

        /// The latest time that is believed at an instant if this reading is.
        func limit(at instant: ContinuousClock.Instant) -> UInt64 {
            let passed = UInt64(max(0, (instant - self.instant).components.seconds)) * 1000
            let (limit, isOutOfRange) = wall.addingReportingOverflow(passed + SweepLimits.trust)
            return isOutOfRange ? .max : limit
        }
    }

    private var believed: Reading?
    private var doubted: Reading?

    /// The latest time that is believed at an instant, in milliseconds since 1970-01-01 UTC; 0 before the first
    /// decision.
    func limit(at instant: ContinuousClock.Instant) -> UInt64 { believed?.limit(at: instant) ?? 0 }

    /// Decides about what the clock shows now. A time far after all that is known is believed once the clock has gone
    /// on from it for a day.
    ///
    /// - Parameters:
    ///   - wall: milliseconds since 1970-01-01 UTC, like `trace`.
    ///   - trace: the newest believed time that the vault knows from before (``trace(of:since:)``). It is not asked
    ///     once a time was believed.
    mutating func believes(
        _ wall: UInt64, at instant: ContinuousClock.Instant, trace: () throws(VaultError) -> UInt64
    ) throws(VaultError) -> Bool {
        var known = believed
        if known == nil { known = Reading(wall: try trace(), instant: instant) }
        let goesOn = doubted.map { wall <= $0.limit(at: instant) } ?? false
        let hasLasted = doubted.map { instant - $0.instant >= SweepLimits.proof } ?? false
        guard wall <= known?.limit(at: instant) ?? 0 || goesOn && hasLasted else {
            if !goesOn { doubted = Reading(wall: wall, instant: instant) }
            return false
        }
        believed = Reading(wall: wall, instant: instant)
        doubted = nil
        return true
    }

    /// The newest believed time of those that a vault knows. A clock that was far ahead in a former run has left its
    /// times in the vault, and they are no proof. So times after a long gap count only if they span a day, like a
    /// clock that goes on.
    ///
    /// - Parameters:
    ///   - times: milliseconds since 1970-01-01 UTC, in any order.
    ///   - created: when the vault was made, which is believed.
    static func trace(of times: [UInt64], since created: UInt64) -> UInt64 {
        let proof = UInt64(SweepLimits.proof.components.seconds) * 1000
        // The first and the last time since the last gap, and whether they are believed.
        var (first, last, isBelieved) = (created, created, true)
        var trace = created
        for time in times.sorted() where time > created {
            if time - last > SweepLimits.trust { (first, isBelieved) = (time, false) }
            last = time
            if time - first >= proof { isBelieved = true }
            if isBelieved { trace = time }
        }
        return trace
    }
}

extension SweepLimits {
    /// How far after all that is known the clock may be, in milliseconds, for something to be deleted by it.
    static let trust: UInt64 = 60 * 86_400_000
    /// How long a clock that is further ahead must go on before it is believed.
    static let proof = Duration.seconds(24 * 3600)
}
