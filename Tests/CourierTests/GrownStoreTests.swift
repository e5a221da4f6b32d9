import Authorization
import BrokerProtocol
import Circle
import Growth
import Platform
import Synchronization
import Testing

@testable import Courier

/// What a large circle asks of a server (docs/sync-growth.md).
@Suite struct GrownStoreTests {
    private struct Fixture {
        let grown: GrownCircle
        let server = PlayedRemote()
        let store: RemoteStore
        let broker = PlayedBroker()
        let own: WriterID

        init(devices: Int) throws {
            var plan = GrowthPlan()
            (plan.devices, plan.records, plan.items) = (devices, 50 * devices, 10 * devices)
            plan.deleted = devices
            grown = try GrownCircle(plan)
            for (path, content) in grown.files { server.put(content, path) }
            store = RemoteStore("s3://x", server)
            own = try ExchangeFixture.device(1)
            // A broker lacks what it was not asked about before.
            let known = Mutexed<Set<String>>([])
            broker.wanted = { names in
                let new = names.filter { !known.now.contains($0) }
                known.change { $0.formUnion(names) }
                return new
            }
        }

        /// What a service does each time, and what the server was asked.
        func round() throws -> [String] {
            _ = try store.refresh()
            #expect(try store.holds(grown.circle))
            _ = try CircleExchange(
                of: grown.circle, own: own, members: grown.devices.map(\.keys.device), store: store, broker: broker
            ).run()
            try store.publish()
            return server.calls()
        }
    }

    @Test(arguments: [20, 40])
    func eachFileIsReadOnceAndThenOneRequestIsEnough(devices: Int) throws {
        let fixture = try Fixture(devices: devices)
        let files = fixture.grown.files.count
        let first = try fixture.round()
        // The beacon, one list, and all heads and segments.
        #expect(first.prefix(2) == ["read beacon", "list"])
        #expect(first.count == files + 1)
        #expect(files <= 3 * devices + 3 * GrowthPlan().tail, "most of a circle is heads, and one file of each reader")
        for _ in 0..<3 { #expect(try fixture.round() == ["read beacon unless"]) }
        for (path, content) in fixture.grown.filesOfOneMore { fixture.server.put(content, path) }
        let changed = try fixture.round()
        #expect(changed.prefix(2) == ["read beacon unless", "list"])
        #expect(changed.count == 4, "one head and one segment")
        #expect(try fixture.round() == ["read beacon unless"])
    }

    /// A head for which no call has room is in the store. Who takes it for lost writes an older one over it, and tells all others of news for ever.
    @Test func aHeadWithoutRoomIsNotLost() throws {
        let fixture = try ExchangeFixture()
        let members = try (2...60).map { try ExchangeFixture.device($0) }
        fixture.store.put([1], fixture.head(fixture.own))
        for (place, member) in members.enumerated() {
            fixture.store.put([UInt8](repeating: UInt8(place), count: CircleLimits.head / 4), fixture.head(member))
        }
        fixture.broker.taken = { _ in
            .init(
                added: 0, updated: 0, deleted: 0, waiting: 0, obstacles: [],
                held: members.map { .init(device: Hex.encode($0.bytes), segments: 0) })
        }
        let heads = Dictionary(
            uniqueKeysWithValues: members.map { (Hex.encode($0.bytes), fixture.file(fixture.head($0), [9])) })
        fixture.broker.lost = { call in
            .init(files: call.head ? [] : [heads[call.device]].compactMap(\.self), more: false)
        }
        #expect(try fixture.run(members: members).putBack == 0)
        #expect(fixture.broker.putBacks.isEmpty && fixture.store.seen.writes.isEmpty)
        #expect(fixture.broker.takes.count == 2, "not all have room")
        // One that nobody can read, and one that is gone, are lost.
        let (last, strange) = (try #require(members.last), try #require(members.dropLast().last))
        try fixture.store.remove(fixture.head(last))
        fixture.store.spoil(fixture.head(strange))
        #expect(try fixture.run(members: members).putBack == 2)
        #expect(Set(fixture.broker.putBacks.map(\.device)) == Set([last, strange].map { Hex.encode($0.bytes) }))
    }

    /// A call has no room for the heads of a circle in which all write. The broker keeps those that came before.
    @Test func headsThatDoNotFitTogetherAreHandedOverInParts() throws {
        let fixture = try ExchangeFixture()
        let members = try (2...60).map { try ExchangeFixture.device($0) }
        fixture.store.put([1], fixture.head(fixture.own))
        for (place, member) in members.enumerated() {
            fixture.store.put([UInt8](repeating: UInt8(place), count: CircleLimits.head / 4), fixture.head(member))
        }
        fixture.store.put([70], try fixture.segment(members[0], 1))
        fixture.broker.wanted = { $0 }
        let outcome = try fixture.run(members: members)
        #expect(outcome.taken == 1)
        let takes = fixture.broker.takes
        #expect(Set(takes.flatMap(\.heads)).count == 60)
        #expect(takes.count == 2 && takes.dropLast().allSatisfy(\.segments.isEmpty))
        // A vault that was rolled back is shown its own head.
        #expect(takes.last?.heads.first == Base64.encode([1]))
        #expect(fixture.broker.gives.first?.heads.first == Base64.encode([1]))
        // No head is handed over twice.
        #expect(takes.map(\.heads.count).reduce(0, +) == 60)
    }
}
