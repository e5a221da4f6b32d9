/// How many refusals a vault's log records one by one. A refusal costs a program nothing, so programs can cause them
/// without end. They must neither fill the disk nor displace the records of what was done. Further refusals are only
/// counted.
struct RefusalBudget: Sendable {
    /// How many refusals can be recorded at once.
    static let burst = 64
    /// After each such time, one more can be recorded.
    static let pause = Duration.seconds(10)
    /// How long a count waits until a record tells it.
    static let patience = Duration.seconds(60)

    private var spent = 0
    private var since: ContinuousClock.Instant?
    /// How many refusals were only counted since the last record.
    private var counted = 0

    /// - Returns: how many refusals before this one were only counted; nil if this one is only counted, too.
    mutating func take(at now: ContinuousClock.Instant) -> Int? {
        if let since {
            let regained = Int((now - since) / Self.pause)
            if regained > 0 {
                spent = max(0, spent - regained)
                self.since = since + Self.pause * regained
            }
        }
        if spent == 0 { since = now }
        guard spent < Self.burst else {
            counted += 1
            return nil
        }
        spent += 1
        return takeCount()
    }

    mutating func takeCount() -> Int {
        defer { counted = 0 }
        return counted
    }
}
