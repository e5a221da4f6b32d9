/// A user's recent failures. Times are in milliseconds since 1970-01-01 UTC.
struct AttemptRecord: Codable, Equatable {
    /// Guesses since the last success, including the one that is being judged.
    var failures = 0
    /// When the last guess began.
    var last: Int64 = 0

    /// How long the next guess has to wait. One delay lies between two guesses, no matter how many processes make them.
    /// - Returns: milliseconds.
    mutating func wait(at now: Int64) -> Int64 {
        // The file may hold any number. A clock that was set back must neither lock a person out nor cancel a delay.
        last = min(max(last, 0), now)
        failures = min(max(failures, 0), AttemptLimits.failures)
        if now - last >= AttemptLimits.memory { self = AttemptRecord() }
        return max(0, last + Self.delay(after: failures) - now)
    }

    /// Counts a guess before its outcome is known. So ending this process early does not give a free guess.
    /// - Returns: milliseconds to wait; 0 if the guess was counted and may be judged.
    mutating func begin(at now: Int64) -> Int64 {
        let wait = wait(at: now)
        if wait == 0 { add(at: now) }
        return wait
    }

    /// Counts a failure that no typed answer caused.
    mutating func add(at now: Int64) {
        _ = wait(at: now)
        failures += 1
        last = now
    }

    /// 0 for the first three, then 1, 2, 4, 8, 16, 30 seconds.
    static func delay(after failures: Int) -> Int64 {
        guard failures >= AttemptLimits.free else { return 0 }
        return min(1000 << Int64(min(failures - AttemptLimits.free, 10)), AttemptLimits.longestDelay)
    }
}
