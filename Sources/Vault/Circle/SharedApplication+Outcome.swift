import Circle

extension SharedApplication {
    /// What was done.
    struct Outcome: Sendable {
        var added = 0
        var updated = 0
        var deleted = 0
        /// Shared items that are not here, or not whole, and why.
        var obstacles: [SharedItemID: TravelRule.Obstacle] = [:]
    }
}
