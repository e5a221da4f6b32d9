/// How many refusals a vault's log takes one by one. Refusing costs a program nothing, and what it can cause without end must neither fill the disk nor drive
/// the records of what was done out of the log: beyond this they are counted.
struct RefusalBudget: Sendable {
    /// At once.
    static let burst = 64
    /// One more after each of these.
    static let pause = Duration.seconds(10)
    /// How long a count waits for a record that says it.
    static let patience = Duration.seconds(60)

    private var spent = 0
    private var since: ContinuousClock.Instant?
    /// Those that were only counted since the last record.
    private var counted = 0

    /// - Returns: how many were only counted before this one; nil where this one is, too.
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
