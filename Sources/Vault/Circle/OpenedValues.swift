import Circle
import Synchronization

/// The sealed values of the records that were opened for one of them. Those of a large circle are megabytes.
final class OpenedValues: Sendable {
    private let values = Mutex<[RevisionName: CircleView.GivenValue]>([:])

    subscript(name: RevisionName) -> CircleView.GivenValue? { values.withLock { $0[name] } }

    func add(_ found: [RevisionName: CircleView.GivenValue]) { values.withLock { $0.merge(found) { _, new in new } } }

    func forgetAll() { values.withLock { $0 = [:] } }
}
