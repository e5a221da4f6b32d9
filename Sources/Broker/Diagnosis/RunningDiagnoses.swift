import Synchronization
import TPM

/// How many looks are taken at the same time, and what was learned of the TPM's identity, which takes long and does not change.
final class RunningDiagnoses: Sendable {
    private struct State {
        var busy: Set<UInt32> = []
        var identity: Endorsement.Standing?
    }

    private let state = Mutex(State())

    /// - Returns: false where one of this user's is being taken already.
    func begin(_ uid: UInt32) -> Bool { state.withLock { $0.busy.insert(uid).inserted } }

    func end(_ uid: UInt32) { state.withLock { _ = $0.busy.remove(uid) } }

    /// What was found last; nil where nobody has asked since the broker started.
    var identity: Endorsement.Standing? { state.withLock { $0.identity } }

    func note(_ standing: Endorsement.Standing?) { state.withLock { $0.identity = standing } }
}
