import Authorization
import BrokerProtocol
import Item
import Synchronization
import Varlink
import Vault

/// Tells readers what happens in vaults. Two places publish, and none of the methods does: an open vault, after each
/// commit that changed items, and the keys that a lock takes away. So no method can forget it.
///
/// Publishing waits for nobody. Those who publish do it one after the other for each vault, which is the order that
/// readers see.
final class VaultEvents: Sendable {
    private struct State {
        var subscriptions: [Owner: [UInt64: EventSubscription]] = [:]
        var last: UInt64 = 0
        var isStopping = false
    }

    private let state = Mutex(State())

    /// Subscribes to a vault's events, from now on and until the subscription ends. The vault need not exist yet.
    /// - Parameters:
    ///   - service: leaves out the items of other services.
    ///   - kind: leaves out the items of other kinds.
    ///   - release: called when the subscription ends.
    /// - Throws: `Failed` of kind `stopping` once the broker is stopping. `release` is called then, too.
    func subscribe(
        to owner: Owner, service: String?, kind: ItemKind? = nil, release: @escaping @Sendable () -> Void
    ) throws(Fault) -> EventSubscription {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let subscription = EventSubscription(service: service, kind: kind) { [weak self] in
            self?.remove(number, of: owner)
            release()
        }
        let isStopping = state.withLock { state in
            if !state.isStopping { state.subscriptions[owner, default: [:]][number] = subscription }
            return state.isStopping
        }
        guard !isStopping else { throw Faults.stopping }
        return subscription
    }

    private func remove(_ number: UInt64, of owner: Owner) {
        state.withLock { state in
            state.subscriptions[owner]?[number] = nil
            if state.subscriptions[owner]?.isEmpty ?? false { state.subscriptions[owner] = nil }
        }
    }

    /// Tells what a committed change did to items.
    func publish(_ changes: [CommittedChange], of owner: Owner) {
        publish(to: owner) { time in changes.flatMap { Self.events(of: $0, at: time) } }
    }

    /// Tells what happened to the vault as a whole.
    func publish(_ kind: Keychain.Event.Kind, of owner: Owner) {
        publish(to: owner) { [Keychain.Event(event: kind, time: $0)] }
    }

    private func publish(to owner: Owner, _ events: (Int64) -> [Keychain.Event]) {
        let readers = state.withLock { state in state.subscriptions[owner].map { Array($0.values) } }
        guard let readers else { return }
        let events = events(Int64(clamping: SystemClock.now()))
        for reader in readers { reader.add(events) }
    }

    private static func events(of change: CommittedChange, at time: Int64) -> [Keychain.Event] {
        func event(_ kind: Keychain.Event.Kind, _ item: ItemSummary) -> Keychain.Event {
            Keychain.Event(event: kind, item: Keychain.Item(item), time: time)
        }
        switch change {
        case .added(let item): return [event(.added, item)]
        case .deleted(let item): return [event(.deleted, item)]
        case .updated(let item, let former):
            let isRenamed =
                item.metadata.service != former.metadata.service || item.metadata.account != former.metadata.account
            // Readers of either service see their half of a rename.
            return isRenamed ? [event(.deleted, former), event(.added, item)] : [event(.updated, item)]
        case .sharing: return [Keychain.Event(event: .sharing, time: time)]
        case .unknown: return [Keychain.Event(event: .missed, time: time)]
        }
    }

    /// Ends all subscriptions, because the broker stops. No more are made.
    func stop() {
        let all = state.withLock { state in
            state.isStopping = true
            return state.subscriptions.values.flatMap(\.values)
        }
        for subscription in all { subscription.end(with: Faults.stopping) }
    }
}
