import Synchronization

/// Whether logind is heard now; set by who hears it, read by who counts time.
final class ConnectionFlag: Sendable {
    private let value = Atomic(false)

    var isUp: Bool { value.load(ordering: .acquiring) }

    func set(_ isUp: Bool) { value.store(isUp, ordering: .releasing) }
}
