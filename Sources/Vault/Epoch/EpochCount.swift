/// How far this run of a vault has come with counting its epochs (docs/vault-format.md, "Epoch and counter").
struct EpochCount: Sendable {
    /// What the counter stands for.
    private(set) var counted: UInt64
    /// The epoch of this run's first step; nil before it.
    private(set) var begun: UInt64?

    /// Whether changes leave their step to the next advance, so that one step is taken for several.
    var leavesSteps = false
    /// Whether one has done so since this was last asked.
    var hasLeftStep = false

    init(counted: UInt64) { self.counted = counted }

    /// Whether a change may move the epoch on from this one: the counter stands for it, and the first step was taken.
    func mayMove(from epoch: UInt64) -> Bool { begun != nil && standsFor(epoch) }

    /// Whether the counter has followed so far. Nothing may move the epoch on before.
    func standsFor(_ epoch: UInt64) -> Bool { counted == epoch }

    mutating func begin(at epoch: UInt64) { begun = epoch }

    mutating func wasCounted(to epoch: UInt64) { counted = max(counted, epoch) }
}

/// What file and counter say together.
enum EpochStanding: Equatable {
    /// The counter stands for the file's epoch.
    case even
    /// The file is one step ahead: whatever took that step was stopped before it had counted.
    case ahead
    /// The counter has gone on without this file: it is an older copy.
    case older
    /// The file has gone on without the counter: that is not the TPM, or not its state, that has counted it.
    case uncounted

    init(file: UInt64, counter: UInt64) {
        if file == counter {
            self = .even
        } else if file < counter {
            self = .older
        } else {
            self = file - counter == 1 ? .ahead : .uncounted
        }
    }
}
