import Authorization
import BrokerProtocol
import Item
import Synchronization
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// One reader's events, from the first to the end of the call.
@Suite(.timeLimit(.minutes(5)))
struct EventSubscriptionTests {
    private final class Count: Sendable {
        private let value = Mutex(0)
        var times: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }

    private let owner = Owner.user(1)

    private func item(
        _ service: String, _ account: String = "a", kind: ItemKind = .genericPassword
    ) throws -> ItemSummary {
        let id = try #require(ItemID(bytes: [UInt8](repeating: 1, count: 16)))
        return ItemSummary(
            id: id, version: 1,
            metadata: Metadata(service: service, account: account, kind: kind, created: 1, modified: 1, valueSet: 1),
            access: .whenUnlocked, revision: ItemRevision(digest: [UInt8](repeating: 1, count: 32)))
    }

    private func event(_ kind: Keychain.Event.Kind, _ item: ItemSummary? = nil) -> Keychain.Event {
        Keychain.Event(event: kind, item: item.map { Keychain.Item($0) }, time: 1)
    }

    @Test("the end gives back once, and drops what was not taken")
    func ended() async throws {
        let released = Count()
        let subscription = EventSubscription(service: nil) { released.add() }
        subscription.add([event(.locked)])
        subscription.end()
        subscription.end(with: Faults.stopping)
        #expect(released.times == 1)
        subscription.add([event(.unlocked)])
        #expect(try await subscription.next() == nil)
        let told = EventSubscription(service: nil) { released.add() }
        told.add([event(.locked)])
        told.end(with: Faults.stopping)
        await #expect(throws: Faults.stopping) { _ = try await told.next() }
        #expect(released.times == 2)
    }

    @Test("a reader that nobody keeps gives back, too")
    func dropped() {
        let released = Count()
        _ = EventSubscription(service: nil) { released.add() }
        #expect(released.times == 1)
    }

    @Test("a reader that waits is woken by an event, and by the end")
    func waiting() async throws {
        let subscription = EventSubscription(service: nil) {}
        let reading = Task { try await subscription.next() }
        // Most often it waits by now. In any case it gets the event.
        await Task.yield()
        subscription.add([event(.locked)])
        #expect(try await reading.value?.map(\.event) == [.locked])
        let last = Task { try await subscription.next() }
        await Task.yield()
        subscription.end()
        #expect(try await last.value == nil)
    }

    @Test("it hears of items of its service and kind, and of the vault as a whole")
    func wanted() async throws {
        let of = try [
            event(.added, item("s")), event(.added, item("S")), event(.added, item("s", "k", kind: .key)),
            event(.added, item("s", "set", kind: .setting)), event(.locked),
        ]
        func heard(_ service: String?, _ kind: ItemKind?) async throws -> [String?] {
            let subscription = EventSubscription(service: service, kind: kind) {}
            subscription.add(of)
            return try await subscription.next()?.map { $0.item.map { "\($0.service) \($0.account)" } } ?? []
        }
        #expect(try await heard(nil, nil) == ["s a", "S a", "s k", nil])
        #expect(try await heard("s", nil) == ["s a", "s k", nil])
        #expect(try await heard("s", .key) == ["s k", nil])
        #expect(try await heard(nil, .setting) == ["s set", nil])
    }

    @Test("each change is told to the vault's readers, and a new name of either part is the end of the former one")
    func published() async throws {
        let events = VaultEvents()
        let subscription = try events.subscribe(to: owner, service: nil) {}
        let other = try events.subscribe(to: .user(2), service: nil) {}
        let former = try item("s", "a")
        for next in [try item("s", "a"), try item("t", "a"), try item("s", "b")] {
            events.publish([.updated(next, from: former)], of: owner)
        }
        events.publish([.sharing, .unknown], of: owner)
        events.publish(.locked, of: owner)
        let heard = try #require(try await subscription.next())
        #expect(
            heard.map(\.event) == [
                .updated, .deleted, .added, .deleted, .added, .sharing, .missed, .locked,
            ])
        #expect(heard.compactMap(\.item?.service) == ["s", "s", "t", "s", "s"])
        #expect(heard.compactMap(\.item?.account) == ["a", "a", "a", "a", "b"])
        events.publish(.unlocked, of: .user(2))
        #expect(try await other.next()?.map(\.event) == [.unlocked])
    }

    @Test("a broker that stops tells its readers, and takes no more of them")
    func stopping() async throws {
        let (events, released) = (VaultEvents(), Count())
        let subscription = try events.subscribe(to: owner, service: nil) { released.add() }
        events.stop()
        await #expect(throws: Faults.stopping) { _ = try await subscription.next() }
        #expect(released.times == 1)
        #expect(throws: Faults.stopping) { _ = try events.subscribe(to: owner, service: nil) { released.add() } }
        #expect(released.times == 2)
    }
}
