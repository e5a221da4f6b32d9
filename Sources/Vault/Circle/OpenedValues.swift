import Circle
import Synchronization

/// The sealed values of the records that were opened for one of them. Those of a large circle are megabytes, so who goes
/// through all of them says which ones will be asked for next.
final class OpenedValues: Sendable {
    private struct State {
        var values: [RevisionName: CircleView.GivenValue] = [:]
        /// nil: any.
        var wanted: Set<RevisionName>?
    }

    private let state = Mutex(State())

    subscript(name: RevisionName) -> CircleView.GivenValue? { state.withLock { $0.values[name] } }

    func add(_ found: [RevisionName: CircleView.GivenValue]) {
        state.withLock { state in
            for (name, value) in found where state.wanted?.contains(name) ?? true { state.values[name] = value }
        }
    }

    /// Lets go of all values, and keeps those of these changes alone from now on.
    func begin(with wanted: Set<RevisionName>) { state.withLock { $0 = State(wanted: wanted) } }

    /// Lets go of all values.
    func end() { state.withLock { $0 = State() } }

    var count: Int { state.withLock { $0.values.count } }
}
