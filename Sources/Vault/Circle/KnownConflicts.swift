import Circle

/// Which parts with several revisions were compared, and with what result. It is kept in memory, so that each value is
/// opened once for it.
struct KnownConflicts {
    /// How many parts are known at most.
    static let most = 20_000

    private var outcomes: [[RevisionName]: Bool] = [:]

    /// - Parameter revisions: those of the part.
    /// - Returns: nil if the part was not compared, or has other revisions by now.
    func isConflict(_ revisions: [RevisionName]) -> Bool? { outcomes[revisions] }

    mutating func put(_ revisions: [RevisionName], isConflict: Bool) {
        if outcomes.count >= Self.most { outcomes = [:] }
        outcomes[revisions] = isConflict
    }
}
