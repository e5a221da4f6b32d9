import Authorization
import BrokerProtocol
import Circle
import Courier
import Platform
import Testing

/// Attacker 10 keeps the store: what lies beside the members' files displaces nothing of theirs. And a broker that was
/// taken over writes nowhere but in its circle.
@Suite struct ExchangeAttackTests {
    private func isMisunderstood(_ error: ExchangeError<PlayedBroker.Refusal>?) -> Bool {
        if case .notUnderstood? = error { true } else { false }
    }

    @Test func nothingIsWrittenOutsideOfTheCircle() throws {
        let sample = try ExchangeFixture()
        let foreign = try StoreFixture.circle(0xCD)
        let place = try #require(JoinPlace(bytes: [UInt8](repeating: 3, count: JoinPlace.count)))
        let paths = [
            "../x", "/etc/passwd", "", sample.head(sample.own).text + "/../../x",
            "\(Hex.encode(sample.circle.bytes))/x",
            StorePath.beacon(circle: sample.circle).text, StorePath.head(circle: foreign, device: sample.own).text,
            StorePath.request(place).text, StorePath.answer(place).text,
        ]
        for path in paths {
            let fixture = try ExchangeFixture()
            let files = [fixture.file(try fixture.segment(fixture.own, 1)), Sync.File(path: path, content: "")]
            fixture.broker.gifts = [.success(.init(files: files, more: false))]
            let error = #expect(throws: ExchangeError<PlayedBroker.Refusal>.self, "\(path)") { try fixture.run() }
            #expect(isMisunderstood(error), "\(path)")
            #expect(fixture.store.seen.writes.isEmpty, "\(path)")
        }
    }

    @Test func nothingIsReadThatWasNotListed() throws {
        let sample = try ExchangeFixture()
        let place = try #require(JoinPlace(bytes: [UInt8](repeating: 3, count: JoinPlace.count)))
        for path in [
            try sample.segment(sample.other, 2).text, StorePath.request(place).text, "../x",
        ] {
            let fixture = try ExchangeFixture()
            fixture.store.put([1], try fixture.segment(fixture.other, 1))
            fixture.broker.wanted = { _ in [path] }
            let error = #expect(throws: ExchangeError<PlayedBroker.Refusal>.self) { try fixture.run() }
            #expect(isMisunderstood(error))
            #expect(fixture.store.seen.reads.isEmpty && fixture.broker.takes.isEmpty)
        }
    }

    @Test func aBrokerThatNeverEndsIsLeft() throws {
        let fixture = try ExchangeFixture()
        let same = Sync.Give.Reply(files: [fixture.file(try fixture.segment(fixture.own, 1))], more: true)
        fixture.broker.gifts = .init(repeating: .success(same), count: 5)
        let error = #expect(throws: ExchangeError<PlayedBroker.Refusal>.self) { try fixture.run() }
        #expect(isMisunderstood(error))
        #expect(fixture.broker.gives.count == 2)
    }

    /// Many large heads of devices that nobody knows, with ids before and behind those of the members.
    @Test func headsOfStrangersDisplaceNoMembers() throws {
        let fixture = try ExchangeFixture()
        let large = [UInt8](repeating: 1, count: CircleLimits.head)
        for byte in [UInt8(0)] + Array(3...40) {
            fixture.store.put(large, fixture.head(try ExchangeFixture.device(byte)))
        }
        fixture.store.put([50], fixture.head(fixture.own))
        fixture.store.put([60], fixture.head(fixture.other))
        fixture.store.put([70], try fixture.segment(fixture.other, 1))
        fixture.broker.wanted = { $0 }
        let outcome = try fixture.run()
        let heads = try #require(fixture.broker.takes.first?.heads)
        #expect(heads.prefix(2) == [Base64.encode([50]), Base64.encode([60])])
        // Some of the others may be new members. All of them do not fit.
        #expect(heads.count > 2 && heads.count < 39)
        #expect(outcome.taken == 1)
    }

    /// Heads of members that do not fit together are an error, because none of them may be left out silently.
    @Test func headsOfMembersThatDoNotFitAreTold() throws {
        let fixture = try ExchangeFixture()
        let members = try (2...120).map { try ExchangeFixture.device($0) }
        for member in members {
            fixture.store.put([UInt8](repeating: 1, count: CircleLimits.head), fixture.head(member))
        }
        let error = #expect(throws: ExchangeError<PlayedBroker.Refusal>.self) { try fixture.run(members: members) }
        guard case .store(let error)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error.code == .tooMany)
    }

    /// In a folder: a file that is too long, and a link, where a member's files should be.
    @Test func aFileThatNoMemberWroteKeepsTheOthersFromNothing() throws {
        let folder = try StoreFixture()
        let fixture = try ExchangeFixture()
        let store = try folder.store()
        let third = try ExchangeFixture.device(3)
        try store.write([60], to: fixture.head(fixture.other))
        try store.write([1], to: try fixture.segment(fixture.other, 1))
        try store.write([2], to: try fixture.segment(fixture.other, 2))
        try folder.put([UInt8](repeating: 0, count: CircleLimits.head + 1), fixture.head(third).text)
        try store.remove(try fixture.segment(fixture.other, 2))
        try folder.put([9], "secret", in: folder.outside)
        try folder.link(try fixture.segment(fixture.other, 2).text, to: "\(folder.outside.path)/secret")
        fixture.broker.wanted = { $0 }
        let outcome = try fixture.run(in: store, members: [fixture.other, third])
        #expect(fixture.broker.takes.map(\.heads) == [[Base64.encode([60])]])
        #expect(fixture.broker.takes.map(\.segments) == [[Base64.encode([1])]])
        #expect(
            try Set(outcome.strange)
                == Set([fixture.head(third), fixture.segment(fixture.other, 2)].map { "\(folder.path)/\($0.text)" }))
    }

    /// A stranger's folder of segments is a link.
    @Test func aStrangersFolderKeepsTheOthersFromNothing() throws {
        let folder = try StoreFixture()
        let fixture = try ExchangeFixture()
        let store = try folder.store()
        let stranger = try ExchangeFixture.device(9)
        try store.write([1], to: try fixture.segment(fixture.other, 1))
        try store.write([2], to: fixture.head(stranger))
        try folder.link("\(Hex.encode(fixture.circle.bytes))/\(Hex.encode(stranger.bytes))", to: folder.outside.path)
        fixture.broker.wanted = { $0 }
        let outcome = try fixture.run(in: store)
        #expect(outcome.taken == 1 && outcome.strange.count == 1)
    }
}
