import Synchronization
import TPM

/// Allows each user one diagnosis at a time. It also keeps the TPM's identity, because checking it takes long and it
/// does not change.
final class RunningDiagnoses: Sendable {
    private struct State {
        var busy: Set<UInt32> = []
        var identity: Endorsement.Standing?
    }

    private let state = Mutex(State())

    /// - Returns: false if a diagnosis of this user is running already.
    func begin(_ uid: UInt32) -> Bool { state.withLock { $0.busy.insert(uid).inserted } }

    func end(_ uid: UInt32) { state.withLock { _ = $0.busy.remove(uid) } }

    /// The last result; nil if there is none since the broker started.
    var identity: Endorsement.Standing? { state.withLock { $0.identity } }

    func note(_ standing: Endorsement.Standing?) { state.withLock { $0.identity = standing } }
}
