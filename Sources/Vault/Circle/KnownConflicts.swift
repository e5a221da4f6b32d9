import Circle

/// Which parts with several revisions were compared, and with what result. It is kept in memory, so that each value is
/// opened once for it.
struct KnownConflicts {
    /// How many parts are known at most.
    private static let most = 20_000

    private var outcomes: [[RevisionName]: Bool] = [:]

    /// - Returns: nil if the part was not compared, or has other revisions by now.
    func isConflict(_ place: ConflictSearch.Place) -> Bool? { outcomes[place.revisions.map(\.name)] }

    mutating func put(_ place: ConflictSearch.Place, isConflict: Bool) {
        if outcomes.count >= Self.most { outcomes = [:] }
        outcomes[place.revisions.map(\.name)] = isConflict
    }
}
