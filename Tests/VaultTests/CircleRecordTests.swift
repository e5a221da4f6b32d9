import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// How much goes into one record, and into one segment: all that fits, to the byte.
struct CircleRecordTests {
    private let desk: CircleMachine
    private let writer: PartWriter
    private let item: SharedItem
    private let view: CircleView

    init() throws {
        // Two files are many, so that a compaction is always worth it.
        desk = try CircleMachine("desk", room: Room(given: 8 << 20, givenFiles: 2))
        try desk.found()
        try desk.set("github", "", "1")
        _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        let prepared = try #require(try desk.vault.giveOut(heads: [], desk.classKeys))
        try desk.commit(prepared)
        (writer, item, view) = try desk.writer()
    }

    /// A change of one attribute, with a text of so many bytes.
    private func change(_ number: Int, _ count: Int) throws -> CarriedChange {
        try CarriedChange(
            writer.set(
                .attribute(Array("\(10_000 + number)".utf8)), of: item,
                to: .text([UInt8](repeating: 0x61, count: count))))
    }

    private func length(_ changes: [CarriedChange]) throws -> Int { try RecordBody.changes(changes).bytes().count }

    /// Changes whose record has a body of so many bytes.
    private func changes(of count: Int) throws -> [CarriedChange] {
        let each = try length([change(0, 1000), change(1, 1000)]) - length([change(0, 1000)])
        var changes = try (0..<count / each - 1).map { try change($0, 1000) }
        let rest = try count - length(changes + [change(changes.count, 0)])
        changes.append(try change(changes.count, rest))
        #expect(try length(changes) == count)
        return changes
    }

    /// What a compaction of all that was given out so far has; nil if it cannot be made.
    private func compaction() throws -> [CircleRecord]? {
        try desk.vault.giveOut(heads: [], desk.classKeys)?.segments.flatMap(\.records)
    }

    /// What waits goes into one record, as long as it fits.
    @Test(arguments: [0, 1]) func aRecordOfChangesIsFilled(over: Int) throws {
        let present = try #require(view.present)
        let key = try #require(view.halves[present.name])
        // A body begins with its kind and the number of its changes.
        let changes = try changes(of: 5 + (128 << 10) + over)
        #expect(changes.reduce(0) { $0 + $1.bytes.count } == (128 << 10) + over)
        var waiting = view
        for change in changes { waiting.add(PendingChange(generation: present.name, change)) }
        let prepared = try desk.vault.records(waiting, [], in: present, key)
        #expect(prepared.segments.flatMap(\.records).count == 1 + over)
    }

    /// What the desk gives out of these slots.
    private func records(of slots: [ReleasedSlots]) throws -> [CircleRecord] {
        let material = try desk.vault.read { (snapshot) throws(VaultError) in try CircleMaterial(snapshot) }
        var waiting = try #require(material)
        waiting.released = slots
        let view = try desk.vault.read { (snapshot) throws(VaultError) in
            try CircleView(waiting, desk.classKeys, in: snapshot)
        }
        let present = try #require(view.present)
        let key = try #require(view.halves[present.name])
        return try desk.vault.records(view, [], in: present, key).segments.flatMap(\.records)
    }

    private func slots(_ number: UInt8, of device: WriterID, _ counts: [Int]) throws -> ReleasedSlots {
        let change = try #require(RevisionName(digest: [UInt8](repeating: number, count: 32)))
        return try ReleasedSlots(
            of: change,
            counts.map {
                .device(device, name: [UInt8](repeating: 1, count: 32), content: [UInt8](repeating: 2, count: $0))
            })
    }

    /// The same for slots that were added. What nobody is left for is given to nobody.
    @Test(arguments: [0, 1]) func aRecordOfSlotsIsFilled(over: Int) throws {
        let own = view.device.id
        let first = try slots(1, of: own, [Int](repeating: 1000, count: 100))
        let least = try slots(2, of: own, [0]).bytes.count
        let second = try slots(2, of: own, [(128 << 10) - first.bytes.count - least + over])
        #expect(try records(of: [first, second]).count == 1 + over)
        let stranger = try CircleMachine("stranger")
        try stranger.found()
        let gone = try slots(3, of: stranger.view().device.id, [10])
        #expect(try records(of: [first, gone]).count == 1)
        #expect(try records(of: [gone]).isEmpty)
    }

    /// Said again, a record is put together with the one before, as long as both fit into one.
    @Test(arguments: [0, 1]) func aCompactionFillsItsRecords(over: Int) throws {
        let before = try (view.streams[view.device.id]?.counted ?? []).compactMap { one -> Int? in
            guard case .changes(let all)? = try view.open(one.record)?.body else { return nil }
            return try length(all)
        }
        #expect(before.count == 1)
        let apart = try #require(try compaction()).count
        try desk.give([.changes(changes(of: (128 << 10) - before[0] + over))])
        #expect(try compaction()?.count == apart + over)
    }

    /// What is said again can need a kind and a generation before it. A body without room for these ends nothing.
    @Test(arguments: [0, 1]) func aRecordThatIsTooLongToBeSaidAgainEndsNothing(over: Int) throws {
        let most = CircleLimits.body - 1 - StatementName.count
        try desk.give([.changes(changes(of: most + over))])
        #expect(try (compaction() == nil) == (over > 0))
    }

    @Test func aSegmentIsFilled() throws {
        let present = try #require(view.present)
        let half = try #require(view.halves[present.name]).metadata
        func segments(_ room: Int) throws -> [RecordSegment] {
            var writer = try RecordWriter(
                view.device, after: nil, in: desk.vault.run(), before: view.device, room: room)
            for _ in 0..<2 { try writer.add(.profile(desk.profile), (present.name, half)) }
            return try writer.finish(
                seen: [], stateDigest: [UInt8](repeating: 7, count: 32), time: 1, given: [],
                streamPassword: .random(count: 32)
            ).segments
        }
        let whole = try segments(RecordWriter.room)
        #expect(whole.count == 1 && RecordWriter.room == CircleLimits.segment - 256)
        let size = whole[0].records.reduce(0) { $0 + $1.bytes.count + 4 }
        #expect(try segments(size).map(\.records.count) == [2])
        #expect(try segments(size - 1).map(\.records.count) == [1, 1])
    }

    /// Nothing is left out because it is too long. What writes it is told.
    @Test func whatFitsIntoNoSegmentIsTold() throws {
        let present = try #require(view.present)
        let half = try #require(view.halves[present.name]).metadata
        func writer(_ room: Int) throws -> RecordWriter {
            try RecordWriter(view.device, after: nil, in: desk.vault.run(), before: view.device, room: room)
        }
        func body(_ count: Int) -> RecordBody {
            .unknown(kind: 99, content: [UInt8](repeating: 1, count: count - 1))
        }
        var first = try writer(RecordWriter.room)
        try first.add(body(CircleLimits.body), (present.name, half))
        #expect(vaultError { try first.add(body(CircleLimits.body + 1), (present.name, half)) } == .storage)
        // Two are longer than a segment together, and the writer has too much room. The next one tells, or the end.
        var second = try writer(1_300_000)
        var third = try writer(1_300_000)
        for _ in 0..<2 {
            try second.add(body(600_000), (present.name, half))
            try third.add(body(600_000), (present.name, half))
        }
        #expect(vaultError { try second.add(body(600_000), (present.name, half)) } == .storage)
        let password = try SecretBytes.random(count: 32)
        let code = vaultError {
            _ = try third.finish(
                seen: [], stateDigest: [UInt8](repeating: 7, count: 32), time: 1, given: [], streamPassword: password)
        }
        #expect(code == .storage)
    }
}
