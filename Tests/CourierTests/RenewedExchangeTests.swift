import BrokerProtocol
import Circle
import Courier
import Platform
import Testing

/// A vault that has renewed its keys is another device. What it gave out before is still its own.
@Suite struct RenewedExchangeTests {
    private let fixture: ExchangeFixture
    private let former: WriterID
    private let before: WriterID

    init() throws {
        fixture = try ExchangeFixture()
        former = try ExchangeFixture.device(9)
        before = try ExchangeFixture.device(8)
        for device in [before, former, fixture.own] {
            for number in UInt64(1)...2 { fixture.store.put([7], try fixture.segment(device, number)) }
            fixture.store.put([device.bytes[0]], fixture.head(device))
        }
    }

    private func run(_ succeeded: [WriterID]) throws -> ExchangeOutcome {
        try CircleExchange(
            of: fixture.circle, own: fixture.own, succeeded: succeeded, members: [fixture.other, fixture.own],
            store: fixture.store, broker: fixture.broker
        ).run()
    }

    @Test func theBrokerHearsThatItIsThere() throws {
        #expect(try run([before, former]).given == 0)
        let call = try #require(fixture.broker.gives.first)
        let expected = try [before, former, fixture.own].flatMap { device in
            try (UInt64(1)...2).map { try fixture.segment(device, $0).text }
        }
        #expect(call.names == expected)
        #expect(Set(call.heads) == Set([before, former, fixture.own].map { Base64.encode([$0.bytes[0]]) }))
        #expect(fixture.store.seen.writes.isEmpty)
    }

    /// In a circle in which all write, the heads of others leave them their room.
    @Test func itsHeadsHaveRoom() throws {
        let members = try (10...70).map { try ExchangeFixture.device($0) }
        for member in members {
            fixture.store.put([UInt8](repeating: 1, count: CircleLimits.head / 4), fixture.head(member))
        }
        _ = try CircleExchange(
            of: fixture.circle, own: fixture.own, succeeded: [before, former], members: members, store: fixture.store,
            broker: fixture.broker
        ).run()
        let heads = try #require(fixture.broker.gives.first).heads
        #expect(heads.count < members.count)
        #expect(Array(heads.prefix(3)) == [fixture.own, before, former].map { Base64.encode([$0.bytes[0]]) })
    }

    @Test func whatTheStoreHasLostOfItIsGivenOut() throws {
        let lost = try fixture.segment(former, 2)
        try fixture.store.remove(lost)
        fixture.broker.gifts = [
            .success(.init(files: [fixture.file(lost), fixture.file(fixture.head(former), [42])], more: false))
        ]
        let outcome = try run([before, former])
        #expect(outcome.given == 2 && outcome.givenSegments == 1)
        #expect(fixture.store.seen.writes == [lost, fixture.head(former), .beacon(circle: fixture.circle)])
        #expect(try fixture.store.read(fixture.head(former)) == [42])
    }

    /// A broker of an earlier version does not say what the vault was before, and gives it out each time.
    @Test func whatIsThereIsNoNews() throws {
        let again = try (UInt64(1)...2).map { fixture.file(try fixture.segment(former, $0)) }
        fixture.broker.gifts = [
            .success(.init(files: [again[0]], more: true)),
            .success(.init(files: [again[1], fixture.file(fixture.head(former), [9])], more: false)),
        ]
        let outcome = try run([])
        #expect(outcome.given == 0 && outcome.givenSegments == 0)
        #expect(fixture.store.seen.writes.isEmpty)
        #expect(fixture.broker.gives.last?.names.contains(again[0].path) == true)
    }
}
