import Synchronization

/// Whether logind can be heard now. `LogindWatch` sets it; the idle limit reads it.
final class ConnectionFlag: Sendable {
    private let value = Atomic(false)

    var isUp: Bool { value.load(ordering: .acquiring) }

    func set(_ isUp: Bool) { value.store(isUp, ordering: .releasing) }
}
