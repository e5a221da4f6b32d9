import Coffer
import FoundationEssentials
import Synchronization

/// A circle of keychains in memory: machines that share what travels, for an application's tests.
///
/// ```swift
/// let circle = InMemoryCircle()
/// let desk = InMemoryKeychain(), laptop = InMemoryKeychain()
/// circle.join(desk, as: "desk")
/// circle.join(laptop, as: "laptop")
/// try await Keychain(service: "com.example.app", backend: desk).set("token", for: "me")
/// circle.exchange()
/// let token = try await Keychain(service: "com.example.app", backend: laptop).string(for: "me")
/// ```
///
/// Nothing travels by itself: ``exchange()`` carries everything to everybody, and ``exchange(_:)`` what one machine has and
/// lacks. So a test decides what happens at the same time. It shares the user's own vault: values of the field `secret`
/// that require nobody and are not for one device only. Of several that are set at the same time, the latest one is shown.
public final class InMemoryCircle: Sendable {
    /// What one machine has made of an item's value.
    struct Revision: Sendable {
        let id: String
        let machine: String
        let stamp: Int64
        let name: ItemName
        /// nil: the item was deleted.
        let value: StoredValue?
        /// The revisions that the machine had before.
        let replaced: Set<String>
    }

    private struct State {
        var revisions: [String: Revision] = [:]
        var machines: [(name: String, keychain: InMemoryKeychain)] = []
    }

    /// Names the circle.
    let id: String
    private let state = Mutex(State())

    /// A circle without machines.
    public init() { id = UUID().uuidString.lowercased() }

    /// A machine comes into the circle. Its items meet those of the others at its next exchange.
    /// - Parameter name: what it calls itself.
    public func join(_ keychain: InMemoryKeychain, as name: String) {
        state.withLock { $0.machines.append((name, keychain)) }
        keychain.enter(self, as: name)
    }

    /// A machine leaves. It keeps its items, and gives out and takes nothing from then on.
    public func remove(_ keychain: InMemoryKeychain) {
        state.withLock { $0.machines.removeAll { $0.keychain === keychain } }
        keychain.leaveCircle()
    }

    /// All machines take in what the others gave out, until all have the same.
    public func exchange() {
        let machines = state.withLock { $0.machines.map(\.keychain) }
        for _ in 0..<2 { for machine in machines { exchange(machine) } }
    }

    /// One machine gives out what it has changed, and takes in what the others gave out.
    public func exchange(_ keychain: InMemoryKeychain) {
        state.withLock { state in
            guard state.machines.contains(where: { $0.keychain === keychain }) else { return }
            for revision in keychain.unsaid() { state.revisions[revision.id] = revision }
            keychain.take(state.revisions)
        }
    }

    /// The names of the machines besides one.
    func others(than keychain: InMemoryKeychain) -> [String] {
        state.withLock { $0.machines.filter { $0.keychain !== keychain }.map(\.name) }
    }
}

/// What a machine in memory knows of its circle.
struct MemberState: Sendable {
    let circle: InMemoryCircle
    let machine: String
    var revisions: [String: InMemoryCircle.Revision] = [:]
    /// The state that an item had when it was last said or taken.
    var said: [ItemName: String] = [:]
    var hasHeard = false

    /// The revisions of an item that no other one replaces, the shown one first.
    func present(_ name: ItemName) -> [InMemoryCircle.Revision] {
        let all = revisions.values.filter { $0.name == name }
        let replaced = all.reduce(into: Set<String>()) { $0.formUnion($1.replaced) }
        return all.filter { !replaced.contains($0.id) }.sorted {
            ($0.stamp, $0.machine, $0.id) > ($1.stamp, $1.machine, $1.id)
        }
    }

    /// Those that have a value, each value once. A deletion is no value.
    func values(_ name: ItemName) -> [InMemoryCircle.Revision] {
        var found: [InMemoryCircle.Revision] = []
        for revision in present(name) where revision.value != nil {
            if !found.contains(where: { $0.value?.bytes == revision.value?.bytes }) { found.append(revision) }
        }
        return found
    }

    static func travels(_ item: MemoryItem) -> Bool {
        let access = item.value.access
        return access.requirements.isEmpty && !access.isThisDeviceOnly
            && [.whenUnlocked, .afterFirstUnlock].contains(access.accessibility)
    }
}

extension MemberState {
    mutating func revision(
        of name: ItemName, _ value: StoredValue?, at now: Int64
    ) -> InMemoryCircle.Revision {
        let before = present(name)
        let revision = InMemoryCircle.Revision(
            id: UUID().uuidString.lowercased(), machine: machine, stamp: max(now, (before.map(\.stamp).max() ?? 0) + 1),
            name: name, value: value, replaced: Set(before.map(\.id)))
        revisions[revision.id] = revision
        return revision
    }
}
