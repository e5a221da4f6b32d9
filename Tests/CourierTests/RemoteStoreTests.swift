import Authorization
import Circle
import Synchronization
import Testing

@testable import Courier

/// What a store on a server asks, and what it remembers.
@Suite struct RemoteStoreTests {
    private struct Fixture {
        let exchange: ExchangeFixture
        let server = PlayedRemote()
        let store: RemoteStore
        let clock = PlayedClock()

        init(others: [UInt8] = [2, 3]) throws {
            exchange = try ExchangeFixture()
            store = RemoteStore("s3://x", server, now: { [clock] in clock.now })
            for byte in others {
                let device = try ExchangeFixture.device(byte)
                server.put([byte], exchange.head(device))
                server.put([byte, byte], try exchange.segment(device, 1))
            }
            server.put([0], .beacon(circle: exchange.circle))
        }

        /// What a service does each time.
        func round() throws {
            _ = try store.refresh()
            #expect(try store.holds(exchange.circle))
            _ = try exchange.run(in: store)
            try store.publish()
        }
    }

    private final class PlayedClock: Sendable {
        private let passed = Mutex(Duration.zero)
        private let start = ContinuousClock.now

        var now: ContinuousClock.Instant { start + passed.withLock { $0 } }

        func advance(_ duration: Duration) { passed.withLock { $0 += duration } }
    }

    private static func head(_ byte: UInt8) -> String { "read \(String(repeating: Hex.encode([byte]), count: 16))" }

    @Test func nothingNewIsOneRequestWithoutABody() throws {
        let fixture = try Fixture()
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon", "list", Self.head(2), Self.head(3)])
        for _ in 0..<3 {
            try fixture.round()
            #expect(fixture.server.calls() == ["read beacon unless"])
        }
    }

    @Test func whatHasChangedIsReadAndTheRestIsNot() throws {
        let fixture = try Fixture()
        try fixture.round()
        fixture.server.put([9], fixture.exchange.head(try ExchangeFixture.device(3)))
        fixture.server.put([1], .beacon(circle: fixture.exchange.circle))
        _ = fixture.server.calls()
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon unless", "list", Self.head(3)])
    }

    /// An invited machine replaces the beacon, so looking for it costs nothing else.
    @Test func aKnockIsFoundByTheSameLook() throws {
        let fixture = try Fixture()
        let circle = fixture.exchange.circle
        #expect(try fixture.store.knocks(of: circle).isEmpty)
        _ = fixture.server.calls()
        _ = try fixture.store.refresh()
        #expect(try fixture.store.knocks(of: circle).isEmpty)
        #expect(fixture.server.calls() == ["read beacon unless"])
        let knock = StorePath.knock(
            circle: circle, try #require(InvitationPlace(bytes: [UInt8](repeating: 1, count: 16))),
            try #require(JoinPlace(bytes: [UInt8](repeating: 2, count: 16))))
        fixture.server.put([7], knock)
        fixture.server.put([1], .beacon(circle: circle))
        _ = try fixture.store.refresh()
        #expect(try fixture.store.knocks(of: circle) == [knock])
        #expect(fixture.server.calls() == ["read beacon unless", "list"])
        #expect(try fixture.store.read(knock) == [7])
    }

    /// A writer may have ended before it wrote the beacon. So nobody depends on that.
    @Test func afterAnHourTheListingIsReadAllTheSame() throws {
        let fixture = try Fixture()
        try fixture.round()
        _ = fixture.server.calls()
        fixture.clock.advance(RemoteLimits.listing - .seconds(1))
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon unless"])
        fixture.clock.advance(.seconds(1))
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon unless", "list"])
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon unless"])
    }

    /// What this machine has written is not all that is new: somebody may have written between the look and that.
    @Test func ownWritesHaveTheListingReadAgain() throws {
        let fixture = try Fixture()
        try fixture.round()
        _ = try fixture.store.refresh()
        try fixture.store.write([4], to: fixture.exchange.head(fixture.exchange.own))
        try fixture.store.write([5], to: .beacon(circle: fixture.exchange.circle))
        _ = fixture.server.calls()
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon unless", "list", Self.head(1)])
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon unless"])
        // It may have ended before the beacon.
        try fixture.store.remove(fixture.exchange.head(fixture.exchange.own))
        _ = fixture.server.calls()
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon unless", "list"])
    }

    /// The broker has refused, because there is a newer head of its own vault. The beacon need not tell.
    @Test func whoAsksASecondTimeGetsWhatIsThereNow() throws {
        let fixture = try Fixture()
        _ = try fixture.store.refresh()
        #expect(try fixture.store.heads(of: fixture.exchange.circle).count == 2)
        fixture.server.put([7], fixture.exchange.head(fixture.exchange.own))
        #expect(try fixture.store.heads(of: fixture.exchange.circle).count == 3)
        #expect(try fixture.store.read(fixture.exchange.head(fixture.exchange.own)) == [7])
    }

    /// A server without tags sends everything again, and nothing is missed.
    @Test func aServerWithoutTagsIsReadEachTime() throws {
        let fixture = try Fixture()
        fixture.server.change { $0.isPlain = true }
        try fixture.round()
        _ = fixture.server.calls()
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon", Self.head(2), Self.head(3)])
        fixture.server.put([1], .beacon(circle: fixture.exchange.circle))
        fixture.server.put([9], fixture.exchange.head(try ExchangeFixture.device(3)))
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon", "list", Self.head(2), Self.head(3)])
    }

    @Test func anEmptiedStoreHoldsNothing() throws {
        let fixture = try Fixture()
        try fixture.round()
        fixture.server.change { ($0.files, $0.versions) = ([:], [:]) }
        _ = try fixture.store.refresh()
        #expect(try !fixture.store.holds(fixture.exchange.circle))
        #expect(try fixture.store.heads(of: fixture.exchange.circle).isEmpty)
        #expect(try fixture.store.segments(of: fixture.exchange.circle, device: fixture.exchange.other).isEmpty)
    }

    /// An old state of the whole store is a change like any other.
    @Test func aStoreThatWasPutBackIsReadAnew() throws {
        let fixture = try Fixture()
        try fixture.round()
        fixture.server.change {
            ($0.files, $0.versions) = ([:], [:])
            // Its tags may be used again.
            $0.versions[.beacon(circle: fixture.exchange.circle)] = 0
        }
        fixture.server.put([8], .beacon(circle: fixture.exchange.circle))
        _ = try fixture.store.refresh()
        _ = fixture.server.calls()
        _ = try fixture.store.holds(fixture.exchange.circle)
        // The server says that nothing has changed. It can withhold, until the hour is over.
        #expect(fixture.server.calls() == ["read beacon unless"])
        fixture.clock.advance(RemoteLimits.listing)
        _ = try fixture.store.refresh()
        #expect(try fixture.store.heads(of: fixture.exchange.circle).isEmpty)
    }

    @Test func anotherCircleIsAnotherListing() throws {
        let fixture = try Fixture()
        try fixture.round()
        let other = try StoreFixture.circle(0xBA)
        #expect(try fixture.store.heads(of: other).isEmpty)
        #expect(try fixture.store.segments(of: other, device: fixture.exchange.other).isEmpty)
    }

    @Test func whatFailsIsToldAndForgetsNothing() throws {
        let fixture = try Fixture()
        try fixture.round()
        fixture.server.change { $0.failure = StoreError(.busy, at: "s3://x") }
        let error = #expect(throws: ExchangeError<PlayedBroker.Refusal>.self) {
            _ = try fixture.store.refresh()
            _ = try fixture.exchange.run(in: fixture.store)
        }
        guard case .store(let failure)? = error else { return #expect(Bool(false)) }
        #expect(failure.code == .busy)
        fixture.server.change { $0.failure = nil }
        _ = fixture.server.calls()
        try fixture.round()
        #expect(fixture.server.calls() == ["read beacon unless"])
    }

    /// Attacker 11: one file that cannot be read keeps no other away, as in a folder. What fails for all is told.
    @Test func aFileThatIsInTheWayIsLeftOut() throws {
        let fixture = try Fixture()
        let stranger = fixture.exchange.head(try ExchangeFixture.device(9))
        fixture.server.put([9], stranger)
        for status in [301, 302, 307] {
            let moved = StoreError(.moved, at: "https://x/y", remote: RemoteFailure(status: status))
            fixture.server.change { $0.failures[stranger] = moved }
            _ = try fixture.store.refresh()
            let outcome = try fixture.exchange.run(in: fixture.store)
            #expect(outcome.strange == ["s3://x/\(stranger.text)"])
            fixture.server.change { $0.failures[.beacon(circle: fixture.exchange.circle)] = moved }
            _ = try fixture.store.refresh()
            let all = #expect(throws: StoreError.self) { try fixture.store.holds(fixture.exchange.circle) }
            #expect(all?.code == .moved)
            fixture.server.change { $0.failures = [:] }
        }
    }

    @Test func whoMayOnlyReadIsToldSo() throws {
        let fixture = try Fixture()
        fixture.server.change {
            $0.failure = StoreError(.notPermitted, at: "s3://x", remote: RemoteFailure(status: 403))
        }
        let head = fixture.exchange.head(fixture.exchange.own)
        let written = #expect(throws: StoreError.self) { try fixture.store.write([1], to: head) }
        let tried = #expect(throws: StoreError.self) { try fixture.store.probe() }
        let read = #expect(throws: StoreError.self) { try fixture.store.read(head) }
        let removed = #expect(throws: StoreError.self) { try fixture.store.remove(head) }
        #expect(removed?.code == .notPermitted)
        #expect(written?.code == .readOnly && tried?.code == .readOnly && read?.code == .notPermitted)
    }
}
