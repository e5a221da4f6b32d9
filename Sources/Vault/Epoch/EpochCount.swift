/// How far this run has brought a vault's epoch and counter (docs/vault-format.md, "Epoch and counter").
struct EpochCount: Sendable {
    /// The epoch that the counter has reached.
    private(set) var counted: UInt64
    /// The epoch after this run's first step; nil before that step.
    private(set) var begun: UInt64?

    /// The epoch whose step was left for changes that were acknowledged before it; 0 if there was none.
    var owed: UInt64 = 0

    /// Whether changes leave their step to the next advance, so that one step covers several changes.
    var leavesSteps = false
    /// How long the changes that have left their step since ``leavesSteps`` was last set wait for it.
    var leftStep: CounterWait?

    init(counted: UInt64) { self.counted = counted }

    /// Whether a change may advance the epoch from this one. It may once the first step was taken and the counter has
    /// reached this epoch.
    func mayMove(from epoch: UInt64) -> Bool { begun != nil && standsFor(epoch) }

    /// Whether the counter has reached this epoch. The epoch may not advance before that.
    func standsFor(_ epoch: UInt64) -> Bool { counted == epoch }

    mutating func begin(at epoch: UInt64) { begun = epoch }

    mutating func noteLeftStep(_ wait: CounterWait) { leftStep = max(leftStep ?? wait, wait) }

    mutating func wasCounted(to epoch: UInt64) { counted = max(counted, epoch) }
}

/// How the file's epoch relates to the counter.
enum EpochStanding: Equatable {
    /// The counter has reached the file's epoch.
    case even
    /// The file is one step ahead: a crash came between that step and the counter.
    case ahead
    /// The counter is ahead of the file, so the file is an older copy.
    case older
    /// The file is more than one step ahead. Another TPM has counted its steps, or a state of this TPM that was lost.
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
