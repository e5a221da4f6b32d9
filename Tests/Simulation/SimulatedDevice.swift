import Circle

/// A member of the simulated circle. What it acknowledges is on its disk. A crash leaves the disk as it is.
struct SimulatedDevice {
    /// What a file of the vault holds. A copy of it can come back.
    struct Disk {
        var state = SharedState()
        /// How many records of each run it has.
        var heads: [Int: Int] = [:]
        /// The run that it writes, since it opened the vault.
        var run: Int
        /// What was acknowledged and not given out yet.
        var queue: [[PartChange]] = []
        /// The changes that are merged, by their places in the witness' list.
        var had = PlaceSet()
        /// What the state shows, after each step that changed it.
        var items: [SharedItem] = []
        /// The revisions that were present when the witness looked last.
        var present = PlaceSet()
        /// The changes that wait for others.
        var waiting: Set<Int> = []
    }

    var disk: Disk
    /// Copies that a person, or an attacker, can put back.
    var copies: [Disk] = []
    /// Milliseconds by which its clock is wrong.
    var clockError: Int64 = 0
}

/// What keeps the records: every run of every device. It invents nothing, and shows what it likes.
struct SimulatedStore {
    /// The records of each run.
    private(set) var runs: [[[PartChange]]] = []

    mutating func begin() -> Int {
        runs.append([])
        return runs.count - 1
    }

    mutating func put(_ record: [PartChange], in run: Int) { runs[run].append(record) }
}
