/// A user's recent failures, and when the next try may be made. Times in milliseconds since 1970-01-01 UTC.
struct AttemptRecord: Codable, Equatable {
    /// Tries begun since the last success, that may yet turn out well.
    var failures = 0
    var last: Int64 = 0
    /// When the last try that was let in is, or was, let in.
    var admitted: Int64 = 0

    /// Failures older than this no longer count.
    static let memory: Int64 = 600_000
    /// The failures that cost no time.
    static let free = 3
    /// The longest delay: a person who mistypes comes in, a program that guesses does not get far.
    static let longestDelay: Int64 = 30_000
    /// More are not counted.
    private static let mostFailures = 1000

    /// Counts a try before its outcome is known, so that tries made side by side do not share one delay.
    /// - Returns: milliseconds to wait before PAM is asked.
    mutating func admit(at now: Int64) -> Int64 {
        // A clock that was set back must not lock a person out, nor let a guesser off.
        last = min(max(last, 0), now)
        // What the file says may be any number.
        failures = min(max(failures, 0), Self.mostFailures)
        if now - last >= Self.memory { self = AttemptRecord() }
        let delay = Self.delay(after: failures)
        let start = delay == 0 ? now : max(now, min(admitted, now + Self.longestDelay)) + delay
        let wait = min(start - now, Self.longestDelay)
        failures = min(failures + 1, Self.mostFailures)
        last = now
        admitted = now + wait
        return wait
    }

    /// Nothing was tried after all.
    mutating func withdraw() {
        failures = max(min(failures, Self.mostFailures), 1) - 1
    }

    /// 0 for the first three, then 1, 2, 4, 8, 16, 30 seconds.
    static func delay(after failures: Int) -> Int64 {
        guard failures >= free else { return 0 }
        return min(1000 << Int64(min(failures - free, 10)), longestDelay)
    }
}
