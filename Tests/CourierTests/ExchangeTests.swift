import Authorization
import BrokerProtocol
import Circle
import Platform
import Testing
import Varlink

@testable import Courier

/// A vault's device in a circle with others, and the store between them.
struct ExchangeFixture {
    let circle: StatementName
    let own: WriterID
    let other: WriterID
    let store = MemoryStore()
    let broker = PlayedBroker()

    init() throws {
        circle = try StoreFixture.circle(0xAB)
        own = try Self.device(1)
        other = try Self.device(2)
    }

    static func device(_ byte: UInt8) throws -> WriterID {
        try #require(WriterID(bytes: [UInt8](repeating: byte, count: 16)))
    }

    func segment(_ device: WriterID, _ number: UInt64) throws -> StorePath {
        .segment(circle: circle, device: device, number: number, run: try StoreFixture.run(1))
    }

    func head(_ device: WriterID) -> StorePath { .head(circle: circle, device: device) }

    func file(_ path: StorePath, _ bytes: [UInt8] = [7]) -> Sync.File {
        .init(path: path.text, content: Base64.encode(bytes))
    }

    func run(
        in store: (any Store)? = nil, members: [WriterID]? = nil
    ) throws(ExchangeError<PlayedBroker.Refusal>) -> ExchangeOutcome {
        try CircleExchange(
            of: circle, own: own, members: members ?? [other], store: store ?? self.store, broker: broker
        ).run()
    }
}

/// An exchange carries what each side lacks, and nothing else.
@Suite struct ExchangeTests {
    @Test func theBrokersNamesAreTakenFromItsLastAnswer() {
        var outcome = ExchangeOutcome()
        let reply = { (named: [Sync.Unshared]?) in
            Sync.Take.Reply(
                added: 0, updated: 0, deleted: 0, waiting: 0,
                obstacles: [.init(reason: "too-long", items: 1, named: named)], conflicts: 0)
        }
        outcome.add(reply([.init(service: "a", account: "b")]))
        outcome.add(reply([.init(service: "c", account: "d")]))
        #expect(outcome.obstacles == ["too-long": 1])
        #expect(outcome.unshared == ["too-long": [.init(service: "c", account: "d")]])
        outcome.add(reply(nil))
        #expect(outcome.unshared.isEmpty)
    }

    @Test func anEmptyStoreIsNotLookedThroughAndGetsNothing() throws {
        let fixture = try ExchangeFixture()
        let outcome = try fixture.run()
        // The broker finds what was changed here when it takes, so that call is made with nothing, too.
        #expect(fixture.broker.calls == ["Take", "Give"])
        #expect(outcome == ExchangeOutcome())
        #expect(fixture.store.seen.writes.isEmpty)
    }

    /// - Parameter numbers: of the segments that the broker has of the other device.
    private func holding(_ fixture: ExchangeFixture, _ numbers: ClosedRange<UInt64>, atOnce: Int = 2) throws {
        let id = Hex.encode(fixture.other.bytes)
        let files = try numbers.map { number in
            fixture.file(try fixture.segment(fixture.other, number), [UInt8(clamping: number)])
        }
        let head = fixture.file(fixture.head(fixture.other), [9])
        fixture.broker.taken = { _ in
            .init(
                added: 0, updated: 0, deleted: 0, waiting: 0, obstacles: [],
                held: [.init(device: id, segments: Int64(files.count))])
        }
        fixture.broker.lost = { call in
            let lost = files.filter { !call.names.contains($0.path) }
            guard lost.count <= atOnce else { return .init(files: Array(lost.prefix(atOnce)), more: true) }
            return .init(files: lost + (call.head ? [] : [head]), more: false)
        }
    }

    @Test func whatTheStoreHasLostOfOthersIsPutBack() throws {
        let fixture = try ExchangeFixture()
        try holding(fixture, 1...5)
        fixture.store.put([2], try fixture.segment(fixture.other, 2))
        let outcome = try fixture.run()
        #expect(outcome.putBack == 5 && outcome.given == 0)
        for number in UInt64(1)...5 {
            #expect(try fixture.store.read(fixture.segment(fixture.other, number)) == [UInt8(number)])
        }
        #expect(try fixture.store.read(fixture.head(fixture.other)) == [9])
        // What was there stays untouched, the head comes last, and then the others are told.
        #expect(try !fixture.store.seen.writes.contains(fixture.segment(fixture.other, 2)))
        #expect(fixture.store.seen.writes.suffix(2) == [fixture.head(fixture.other), .beacon(circle: fixture.circle)])
        let calls = fixture.broker.putBacks.count
        #expect(try fixture.run().putBack == 0)
        #expect(fixture.broker.putBacks.count == calls, "nothing is lost")
    }

    @Test func aHeadAloneIsPutBackToo() throws {
        let fixture = try ExchangeFixture()
        try holding(fixture, 1...1)
        fixture.store.put([1], try fixture.segment(fixture.other, 1))
        #expect(try fixture.run().putBack == 1)
        #expect(fixture.broker.putBacks.map(\.head) == [false])
    }

    /// Who hides files from this machine has it write the same ones again and again.
    @Test func anExchangePutsBackAFewAtATime() throws {
        let fixture = try ExchangeFixture()
        try holding(fixture, 1...200, atOnce: 10)
        var limits = CourierLimits()
        limits.putBack = 25
        let outcome = try CircleExchange(
            of: fixture.circle, own: fixture.own, members: [fixture.other], store: fixture.store,
            broker: fixture.broker, limits: limits
        ).run()
        #expect((25..<35).contains(outcome.putBack))
    }

    @Test func onlyWhatWasLostIsPutBack() throws {
        for path in [
            try ExchangeFixture().segment(ExchangeFixture.device(3), 1), .beacon(circle: try StoreFixture.circle(0xAB)),
            try ExchangeFixture().segment(ExchangeFixture.device(2), 1),
        ] {
            let fixture = try ExchangeFixture()
            try holding(fixture, 1...2)
            fixture.store.put([1], try fixture.segment(fixture.other, 1))
            let file = fixture.file(path)
            fixture.broker.lost = { _ in .init(files: [file], more: false) }
            #expect(throws: ExchangeError<PlayedBroker.Refusal>.self) { try fixture.run() }
            #expect(fixture.store.seen.writes.isEmpty)
        }
    }

    @Test func ownFilesThatNobodyNeedsAreRemoved() throws {
        let fixture = try ExchangeFixture()
        for number in UInt64(1)...3 { fixture.store.put([1], try fixture.segment(fixture.own, number)) }
        let ended = try (UInt64(1)...2).map { try fixture.segment(fixture.own, $0) }
        fixture.broker.gifts = [.success(.init(files: [], more: false, ended: ended.map(\.text)))]
        let outcome = try fixture.run()
        #expect(fixture.store.seen.files.keys.sorted { $0.text < $1.text } == [try fixture.segment(fixture.own, 3)])
        // The others need not look.
        #expect(fixture.store.seen.writes.isEmpty && outcome.given == 0)
    }

    /// A broker that was taken over can name what it likes.
    @Test func othersFilesAreNotRemoved() throws {
        for place in [
            try ExchangeFixture().segment(ExchangeFixture.device(2), 1),
            try ExchangeFixture().head(ExchangeFixture.device(1)),
            .beacon(circle: try StoreFixture.circle(0xAB)), try ExchangeFixture().segment(ExchangeFixture.device(1), 9),
        ] {
            let fixture = try ExchangeFixture()
            fixture.store.put([1], try fixture.segment(fixture.other, 1))
            fixture.store.put([1], try fixture.segment(fixture.own, 1))
            fixture.store.put([1], fixture.head(fixture.own))
            fixture.broker.gifts = [.success(.init(files: [], more: false, ended: [place.text]))]
            #expect(throws: ExchangeError<PlayedBroker.Refusal>.self) { try fixture.run() }
            #expect(fixture.store.seen.files.count == 3)
        }
    }

    /// Somebody else writes the store's rules. What is left there is too much, and nothing is lost.
    @Test func aStoreThatNothingIsRemovedFromIsUsedAllTheSame() throws {
        let fixture = try ExchangeFixture()
        fixture.store.put([1], try fixture.segment(fixture.own, 1))
        fixture.store.refuse(removalsBy: .notPermitted)
        let reply = Sync.Give.Reply(
            files: [], more: false, ended: [try fixture.segment(fixture.own, 1).text])
        fixture.broker.gifts = [.success(reply), .success(reply)]
        #expect(try fixture.run() == ExchangeOutcome())
        fixture.store.refuse(removalsBy: .full)
        #expect(throws: ExchangeError<PlayedBroker.Refusal>.self) { try fixture.run() }
    }

    @Test func whatTheBrokerLacksComesWithAllHeadsFromTheLastToTheFirst() throws {
        let fixture = try ExchangeFixture()
        for number in UInt64(1)...4 {
            fixture.store.put([UInt8(number)], try fixture.segment(fixture.other, number))
        }
        fixture.store.put([50], fixture.head(fixture.own))
        fixture.store.put([60], fixture.head(fixture.other))
        let wanted = try [2, 3, 4].map { try fixture.segment(fixture.other, $0).text }
        fixture.broker.wanted = { _ in wanted }
        fixture.broker.taken = { _ in
            .init(added: 3, updated: 1, deleted: 2, waiting: 5, obstacles: [.init(reason: "gated", items: 4)])
        }
        let outcome = try fixture.run()
        let heads = [Base64.encode([50]), Base64.encode([60])]
        #expect(fixture.broker.looks.map(\.heads) == [heads])
        #expect(try fixture.broker.looks.map(\.names) == [(1...4).map { try fixture.segment(fixture.other, $0).text }])
        #expect(fixture.broker.takes.map(\.heads) == [heads])
        #expect(fixture.broker.takes.map(\.segments) == [[4, 3, 2].map { Base64.encode([$0]) }])
        #expect(fixture.broker.gives.map(\.heads) == [heads])
        #expect((outcome.added, outcome.updated, outcome.deleted) == (3, 1, 2))
        #expect((outcome.waiting, outcome.obstacles, outcome.taken) == (5, ["gated": 4], 3))
        #expect(try !fixture.store.seen.reads.contains(fixture.segment(fixture.other, 1)))
    }

    @Test func aFileThatHasGoneMeanwhileIsLeftOut() throws {
        let fixture = try ExchangeFixture()
        let path = try fixture.segment(fixture.other, 1)
        fixture.store.put([1], path)
        fixture.broker.wanted = { names in
            // `try?`: a store in memory removes without an error.
            try? fixture.store.remove(path)
            return names
        }
        #expect(try fixture.run().taken == 0)
        #expect(fixture.broker.takes.map(\.segments) == [[]])
    }

    /// Each call is measured by the double.
    @Test func segmentsAreHandedOverInCallsThatFit() throws {
        let fixture = try ExchangeFixture()
        for number in UInt64(1)...3 {
            fixture.store.put(
                [UInt8](repeating: UInt8(number), count: CircleLimits.segment),
                try fixture.segment(fixture.other, number))
        }
        fixture.store.put([4, 4], try fixture.segment(fixture.other, 4))
        fixture.broker.wanted = { $0 }
        fixture.broker.taken = { count in
            .init(
                added: 1, updated: 0, deleted: 0, waiting: Int64(10 - count),
                obstacles: count == 1 ? [.init(reason: "unreadable", items: 1)] : [])
        }
        let outcome = try fixture.run()
        #expect(fixture.broker.takes.map(\.segments.count) == [2, 1, 1])
        #expect(fixture.broker.takes[0].segments[0] == Base64.encode([4, 4]))
        // The counts add up; what waits or is not shared is as the last call said.
        #expect((outcome.added, outcome.waiting, outcome.obstacles, outcome.taken) == (3, 7, [:], 4))
    }

    /// The broker takes 2,048 at once.
    @Test func manySmallSegmentsAreHandedOverInSeveralCalls() throws {
        let fixture = try ExchangeFixture()
        for number in UInt64(1)...2500 { fixture.store.put([1], try fixture.segment(fixture.other, number)) }
        fixture.broker.wanted = { $0 }
        #expect(try fixture.run().taken == 2500)
        #expect(fixture.broker.takes.count > 1 && fixture.broker.takes.allSatisfy { $0.segments.count <= 2048 })
    }

    @Test func aLongListingIsCutIntoCallsThatFit() throws {
        let fixture = try ExchangeFixture()
        let count = 30_000
        for number in 1...count { fixture.store.put([1], try fixture.segment(fixture.other, UInt64(number))) }
        _ = try fixture.run()
        #expect(fixture.broker.looks.count > 1)
        #expect(fixture.broker.looks.flatMap(\.names).count == count)
        #expect(Set(fixture.broker.looks.flatMap(\.names)).count == count)
    }

    @Test func segmentsAreWrittenBeforeTheHeadAndThenTheBeacon() throws {
        let fixture = try ExchangeFixture()
        let paths = try (1...3).map { try fixture.segment(fixture.own, $0) }
        let head = fixture.head(fixture.own)
        fixture.store.put([1], paths[0])
        fixture.store.put([9], head)
        fixture.store.put([8], try fixture.segment(fixture.other, 1))
        fixture.broker.gifts = [
            .success(.init(files: [fixture.file(paths[1])], more: true)),
            .success(.init(files: [fixture.file(head, [10]), fixture.file(paths[2])], more: false)),
        ]
        let outcome = try fixture.run()
        #expect(fixture.store.seen.writes == [paths[1], paths[2], head, .beacon(circle: fixture.circle)])
        #expect(fixture.store.seen.files[head] == [10])
        // Others' files are none of its concern, and what was written is not asked for again.
        #expect(fixture.broker.gives.map(\.names) == [[paths[0].text], [paths[0].text, paths[1].text]])
        #expect(outcome.given == 3)
        let beacon = try #require(fixture.store.seen.files[.beacon(circle: fixture.circle)])
        #expect(beacon.count <= StorePath.beacon(circle: fixture.circle).limit)
    }

    @Test func whatTheStoreHasOfThisVaultIsTakenInFirstOnceMore() throws {
        let fixture = try ExchangeFixture()
        fixture.broker.gifts = [.failure(.init(mustTakeFirst: true))]
        _ = try fixture.run()
        #expect(fixture.broker.calls == ["Take", "Give", "Take", "Give"])
    }

    @Test func anErrorThatStaysIsTold() throws {
        for gifts in [[true, true], [false]] {
            let fixture = try ExchangeFixture()
            fixture.broker.gifts = gifts.map { .failure(.init(mustTakeFirst: $0)) }
            let error = #expect(throws: ExchangeError<PlayedBroker.Refusal>.self) { try fixture.run() }
            guard case .broker = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(fixture.broker.gives.count == gifts.count)
        }
    }
}
