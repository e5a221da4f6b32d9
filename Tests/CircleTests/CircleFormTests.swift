import Cryptography
import Item
import Testing

@testable import Circle

/// Each format of docs/sync-format.md has one form, and a reader never reads another (attackers 7 and 10).
struct CircleFormTests {
    private let device: StreamFixture
    private let other: StreamFixture
    private let ends: [RunEnd]
    private let records: [CircleRecord]

    init() throws {
        device = try StreamFixture()
        other = try StreamFixture(2)
        (records, ends) = try device.written(1, count: 3)
    }

    /// Changed bytes are refused, or are the one form of what is read from them.
    private func holds(_ bytes: [UInt8], _ reread: ([UInt8]) throws(CircleFormError) -> [UInt8]) throws {
        #expect(try reread(bytes) == bytes)
        #expect(throws: CircleFormError.self) { try reread(bytes + [0]) }
        for length in 0..<bytes.count {
            #expect(throws: CircleFormError.self, "\(length) bytes") { try reread(Array(bytes.prefix(length))) }
        }
        for place in bytes.indices {
            for flip: UInt8 in [1, 0x80, 0xff] {
                var changed = bytes
                changed[place] ^= flip
                do throws(CircleFormError) {
                    let read = try reread(changed)
                    if read != changed { Issue.record("byte \(place): a second form") }
                } catch {
                    // It is refused, as it may be.
                }
            }
        }
    }

    private var seen: [SeenEnd] { [SeenEnd(other.keys.device, ends[1])] }

    private func request(name: String = "desk-1.local", time: UInt64 = 77) throws -> JoinRequest {
        try JoinRequest(
            keys: other.keys, oneTimeKey: [UInt8](repeating: 3, count: 32), protection: .tpm,
            name: try #require(MachineName(name)), time: time)
    }

    private func generation() throws -> KeyGeneration {
        try KeyGeneration(
            circle: device.circle, maker: device.keys.device, removals: [UInt8](repeating: 6, count: 32),
            publicHalves: [UInt8](repeating: 4, count: 96),
            receivers: [
                KeyGeneration.Receiver(
                    device.keys.device, sealed: [UInt8](repeating: 5, count: KeyGeneration.Receiver.sealedCount))
            ])
    }

    private func addition(_ keys: MemberKeys, _ role: MemberRole = .admin) throws -> SignedStatement {
        let statement = try Statement(
            circle: device.circle, signer: device.keys.device, past: [device.circle], .addition(keys, role))
        let signature = try device.membership.signature(for: statement.bytes)
        return SignedStatement(statement, signature: SignedStatement.lower(signature))
    }

    private func answer(
        to request: JoinRequest, _ statements: [SignedStatement]? = nil, heads: [SignedHead]? = nil
    ) throws -> JoinAnswer {
        let given = try statements ?? [device.founding, addition(request.keys)]
        return try JoinAnswer(
            request: request.digest, circle: device.circle, adder: device.keys.device,
            statements: given.sorted { $0.statement.name < $1.statement.name }, generations: [generation().name],
            present: generation(),
            heads: heads ?? [device.head(ends[3], seen: seen)], ephemeral: [UInt8](repeating: 6, count: 32),
            sealedKeys: [UInt8](repeating: 7, count: 96 + 28))
    }

    @Test func aRecordHasOneForm() throws {
        try holds(records[0].bytes) { bytes throws(CircleFormError) in try CircleRecord(decoding: bytes).bytes }
        #expect(records[0].header.bytes.count == 106)
        #expect(throws: CircleFormError.range) { try device.record(0, StreamFixture.run(1)) }
        #expect(throws: CircleFormError.range) { try device.record(CircleLimits.number + 1, StreamFixture.run(1)) }
    }

    @Test func aRecordsLengthIsASizeClass() throws {
        for count in [0, 28, 91, 93, 92 + 63] {
            #expect(throws: CircleFormError.form) {
                try CircleRecord(records[0].header, sealed: [UInt8](repeating: 0, count: count))
            }
        }
        #expect(throws: CircleFormError.length) {
            try CircleRecord(records[0].header, sealed: [UInt8](repeating: 0, count: 1 << 20))
        }
    }

    @Test func aPaddingHasOneForm() throws {
        for count in [0, 1, 59, 60, 61, 127, 1000, 65_537, CircleLimits.body] {
            let body = [UInt8](repeating: 8, count: count)
            let padded = try RecordPadding.add(to: body)
            #expect(try RecordPadding.remove(from: padded) == body)
            #expect(padded.count <= max(64, (count + 4) * 112 / 100 + 1) && RecordPadding.isClass(padded.count))
            #expect(throws: CircleFormError.form) { try RecordPadding.remove(from: padded + [0]) }
            guard padded.count > count + 4 else { continue }
            #expect(throws: CircleFormError.form) { try RecordPadding.remove(from: padded.dropLast() + [1]) }
        }
        #expect(throws: CircleFormError.length) {
            try RecordPadding.add(to: [UInt8](repeating: 8, count: CircleLimits.body + 1))
        }
        #expect(throws: CircleFormError.length) { try RecordPadding.remove(from: [255, 255, 255, 255]) }
    }

    @Test func aSegmentHasOneForm() throws {
        let segment = try RecordSegment(before: ends[0].chain, records: records)
        try holds(segment.bytes) { bytes throws(CircleFormError) in try RecordSegment(decoding: bytes).bytes }
    }

    @Test func recordsOfASegmentFollowEachOther() throws {
        let before = ends[0].chain
        #expect(throws: CircleFormError.length) { try RecordSegment(before: before, records: []) }
        #expect(throws: CircleFormError.place) { try RecordSegment(before: before, records: [records[0], records[2]]) }
        #expect(throws: CircleFormError.place) { try RecordSegment(before: before, records: [records[1], records[0]]) }
        let stranger = try device.record(2, StreamFixture.run(2))
        #expect(throws: CircleFormError.place) { try RecordSegment(before: before, records: [records[0], stranger]) }
        let foreign = try other.record(2, StreamFixture.run(1))
        #expect(throws: CircleFormError.place) { try RecordSegment(before: before, records: [records[0], foreign]) }
    }

    @Test func aSegmentIsAtMostOneMebibyte() throws {
        let header = records[0].header
        let large = try CircleRecord(header, sealed: [UInt8](repeating: 0, count: RecordPadding.largest + 28))
        #expect(try RecordSegment(before: ends[0].chain, records: [large]).bytes.count <= CircleLimits.segment)
        let next = try CircleRecord(
            CircleRecord.Header(
                circle: header.circle, device: header.device, run: header.run, number: 2, generation: nil),
            sealed: large.sealed)
        #expect(throws: CircleFormError.length) { try RecordSegment(before: ends[0].chain, records: [large, next]) }
        #expect(throws: CircleFormError.length) {
            try RecordSegment(decoding: [UInt8](repeating: 0, count: CircleLimits.segment + 1))
        }
    }

    @Test func aHeadHasOneForm() throws {
        let head = try device.head(
            ends[3], after: RunEnd(run: StreamFixture.run(9), number: 1, chain: ends[0].chain), seen: seen)
        try holds(head.head.bytes) { bytes throws(CircleFormError) in try StreamHead(decoding: bytes).bytes }
        #expect(try SignedHead(decoding: head.bytes) == head)
        #expect(try device.head(ends[0]).isSigned(by: device.keys))
        #expect(throws: CircleFormError.self) { try SignedHead(decoding: head.signature) }
    }

    @Test func aHeadNamesOthersOnceAndInOrder() throws {
        let entries = try (UInt8(1)...3).map { number in
            SeenEnd(try #require(WriterID(bytes: [UInt8](repeating: number, count: 16))), ends[1])
        }
        _ = try device.head(ends[3], seen: entries)
        #expect(throws: CircleFormError.order) { try device.head(ends[3], seen: entries.reversed()) }
        #expect(throws: CircleFormError.order) { try device.head(ends[3], seen: [entries[0], entries[0]]) }
        #expect(throws: CircleFormError.place) {
            try device.head(ends[3], seen: [SeenEnd(device.keys.device, ends[1])])
        }
        #expect(throws: CircleFormError.range) { try device.head(ends[3], time: 1 << 63) }
        #expect(throws: CircleFormError.place) { try device.head(ends[3], after: ends[1]) }
        let later = RunEnd(run: try StreamFixture.run(9), number: 4, chain: ends[0].chain)
        #expect(throws: CircleFormError.place) { try device.head(ends[3], after: later) }
    }

    /// One change of each kind of content, and one that removes.
    static func changes() throws -> [CarriedChange] {
        let item = SharedItemID(number: 7)
        let sealed = [UInt8](repeating: 5, count: 92)
        let field = SealedField(
            revision: [UInt8](repeating: 1, count: 16), digest: try SHA256.digest(sealed), access: .afterFirstUnlock)
        let value = try CarriedValue(
            kind: .otp, item: item, commitment: [UInt8](repeating: 2, count: 32),
            slots: [
                .members(
                    .afterFirstUnlock, ephemeral: [UInt8](repeating: 3, count: 32),
                    wrappedKey: [UInt8](repeating: 4, count: 60)),
                .unknown(kind: 9, content: [1, 2]),
            ], sealed: sealed)
        func change(
            _ part: SharedPart, _ content: PartContent?, replacing: [RevisionName] = []
        ) throws -> PartChange {
            let stamp = try #require(PartStamp(clock: 1_800_000_000_000, writer: WriterID(number: 3)))
            return try PartChange(item: item, part: part, stamp: stamp, replacing: replacing, content: content)
        }
        let name = try change(
            .name, .name(ItemName(service: "github", account: "me", itemClass: .internetPassword)))
        let first = try change(.field("otp"), .value(try #require(field)))
        return [
            try CarriedChange(name),
            try CarriedChange(change(.access, .access(.whenUnlocked.requiring(.userPresence)))),
            try CarriedChange(change(.label, .text(Array("mine".utf8)))),
            try CarriedChange(change(.attribute(Array("host".utf8)), .text([]))),
            try CarriedChange(change(.expiry, .expiry(1_900_000_000_000))),
            try CarriedChange(change(.bin, .bin(BinRecord(days: 30, values: [first.name])))),
            try CarriedChange(first, value),
            try CarriedChange(change(.comment, nil, replacing: [first.name, name.name])),
        ]
    }

    @Test func aChangeSaysTheSameAfterItWasRead() throws {
        for one in try Self.changes() {
            let read = try CarriedChange(decoding: one.bytes)
            #expect(read == one)
            #expect(read.change.name == one.change.name)
            #expect(read.change.content == one.change.content)
        }
    }

    /// A member who passes on somebody's change with another sealed value.
    @Test func aChangeCarriesTheValueThatItNamesAndNoOther() throws {
        let all = try Self.changes()
        let (named, value) = (all[6].change, try #require(all[6].value))
        let other = try CarriedValue(
            kind: value.kind, item: value.item, commitment: value.commitment, slots: value.slots,
            sealed: value.sealed.dropLast() + [9])
        #expect(throws: CircleFormError.place) { try CarriedChange(named, other) }
        #expect(throws: CircleFormError.place) { try CarriedChange(named) }
        #expect(throws: CircleFormError.place) { try CarriedChange(all[0].change, value) }
        #expect(throws: CircleFormError.length) {
            try CarriedValue(kind: .otp, item: value.item, commitment: value.commitment, slots: [], sealed: [1])
        }
    }

    @Test func aRecordOfChangesHasAtLeastOneAndAtMostSoMany() throws {
        #expect(throws: CircleFormError.length) { try CarriedChange.content([]) }
        #expect(throws: CircleFormError.length) { try CarriedChange.list([0, 0, 0, 0]) }
        let many = [CarriedChange](repeating: try Self.changes()[2], count: CircleLimits.changes + 1)
        #expect(throws: CircleFormError.length) { try CarriedChange.content(many) }
        let long = UInt32(CircleLimits.changes + 1)
        #expect(throws: CircleFormError.length) {
            try CarriedChange.list([
                UInt8(long >> 24), UInt8(long >> 16 & 255), UInt8(long >> 8 & 255), UInt8(long & 255),
            ])
        }
    }

    @Test func eachBodyHasOneForm() throws {
        let header = records[0].header
        let bodies: [RecordBody] =
            [
                .statement(device.founding), .statement(try addition(other.keys)), .generation(try generation()),
                .changes(try Self.changes()), .seen(seen), .head(try device.head(ends[3])),
                .profile(DeviceProfile(MachineName(near: "desk"), .tpm)), .unknown(kind: 200, content: [1]),
                .again(.profile(DeviceProfile(MachineName(near: "desk"), .tpm)), of: try generation().name),
                .summary(try StreamSummary(count: 0, said: 0, runs: [.init(header.run, 5)], seen: seen)),
            ] + Self.past(try generation().name)
        for body in bodies {
            let bytes = try body.bytes()
            #expect(try RecordBody(decoding: bytes, in: header).bytes() == bytes)
            guard bytes.count < 1000, bytes[0] != 200 else { continue }
            for length in 0..<bytes.count {
                let cut = Array(bytes.prefix(length))
                #expect(throws: CircleFormError.self) { try RecordBody(decoding: cut, in: header) }
            }
            #expect(throws: CircleFormError.self) { try RecordBody(decoding: bytes + [0], in: header) }
        }
        #expect(throws: CircleFormError.length) { try RecordBody(decoding: [], in: header) }
        #expect(throws: CircleFormError.length) { try RecordBody(decoding: [3], in: header) }
    }

    private static func past(_ generation: StatementName) -> [RecordBody] {
        PastChanges.records(names: [1, 2, .max], values: [generation: [3, 4]]).map { .past($0) }
    }

    /// Each list of a compaction is sorted, and a summary stands for what was before it.
    @Test func whatACompactionListsHasOneOrder() throws {
        let name = try generation().name.bytes
        let twice: [UInt8] = [0, 0, 0, 2] + [UInt8](repeating: 0, count: 16) + [0, 0, 0, 0]
        #expect(throws: CircleFormError.order) { try PastChanges(decoding: twice) }
        let digests: [UInt8] = [0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
        let again = [0, 0, 0, 0, 0, 0, 0, 2] + name + digests + name + digests
        #expect(throws: CircleFormError.order) { try PastChanges(decoding: again) }
        #expect(throws: CircleFormError.length) { try PastChanges(decoding: [0, 0, 0xC3, 0x51]) }
        let run = try StreamFixture.run(1)
        #expect(throws: CircleFormError.order) {
            try StreamSummary(count: 0, said: 0, runs: [.init(run, 1), .init(run, 2)], seen: [])
        }
        #expect(throws: CircleFormError.range) {
            try StreamSummary(count: 0, said: 0, runs: [.init(run, CircleLimits.number + 1)], seen: [])
        }
        let header = records[0].header
        for (count, said) in [(UInt32(1), UInt64(0)), (0, 1)] {
            let summary = try StreamSummary(count: count, said: said, runs: [], seen: [])
            #expect(throws: CircleFormError.range) { try StreamSummary(decoding: summary.bytes, in: header) }
        }
        let own = try StreamSummary(count: 0, said: 0, runs: [], seen: [SeenEnd(device.keys.device, ends[1])])
        #expect(throws: CircleFormError.place) { try StreamSummary(decoding: own.bytes, in: header) }
    }

    @Test func whatEverybodyCanOpenHoldsNoItem() throws {
        let open = try CircleRecord.Header(
            circle: device.circle, device: device.keys.device, run: StreamFixture.run(1), number: 1, generation: nil)
        #expect(open.generationBytes == [UInt8](repeating: 0, count: 32))
        let founding = try RecordBody.statement(device.founding).bytes()
        #expect(try RecordBody(decoding: founding, in: open).bytes() == founding)
        let profile = DeviceProfile(MachineName(near: "desk"), .tpm)
        for body in [
            RecordBody.changes(try Self.changes()), .seen(seen), .head(try device.head(ends[3])), .profile(profile),
        ] {
            #expect(throws: CircleFormError.place) { try RecordBody(decoding: body.bytes(), in: open) }
        }
    }

    @Test func aBodyIsOfItsRecordsCircleAndDevice() throws {
        let foreign = try other.record(1, StreamFixture.run(1)).header
        for body in [
            RecordBody.statement(device.founding), .generation(try generation()), .head(try device.head(ends[3])),
        ] {
            #expect(throws: CircleFormError.place) { try RecordBody(decoding: body.bytes(), in: foreign) }
        }
        let mine = RecordBody.seen([SeenEnd(device.keys.device, ends[1])])
        #expect(throws: CircleFormError.place) { try RecordBody(decoding: mine.bytes(), in: records[0].header) }
    }

    @Test func anotherVersionIsNamed() throws {
        var record = records[0].bytes
        record[1] = 2
        #expect(throws: CircleFormError.version) { try CircleRecord(decoding: record) }
        var head = try device.head(ends[3]).head.bytes
        head[4 + 22 + 1] = 2
        #expect(throws: CircleFormError.version) { try StreamHead(decoding: head) }
    }

    @Test func aRequestHasOneForm() throws {
        try holds(request().bytes) { bytes throws(CircleFormError) in try JoinRequest(decoding: bytes).bytes }
        for name in ["", "-a", ".a", "a b", "dësk", "a/b", "a\n", String(repeating: "a", count: 65)] {
            #expect(MachineName(name) == nil, "\(name)")
        }
        #expect(throws: CircleFormError.range) { try request(time: 1 << 63) }
    }

    @Test func anAnswerHasOneForm() throws {
        let bytes = try answer(to: request()).bytes
        #expect(try JoinAnswer(decoding: bytes).bytes == bytes)
        try holds(bytes) { bytes throws(CircleFormError) in try JoinAnswer(decoding: bytes).bytes }
    }

    @Test func anAnswerIsToItsRequest() throws {
        let mine = try request()
        let whole = try answer(to: mine).membership(for: mine)
        #expect(whole?.members.map(\.keys) == [device.keys, other.keys].sorted { $0.device < $1.device })
        #expect(try answer(to: mine).membership(for: request(time: 78)) == nil)
        let third = try StreamFixture(3)
        #expect(try answer(to: mine, [device.founding, addition(third.keys)]).membership(for: mine) == nil)
        // Somebody who says that it is a member of a circle that it names.
        let forged = SignedStatement(try addition(other.keys).statement, signature: [UInt8](repeating: 1, count: 64))
        #expect(try answer(to: mine, [device.founding, forged]).membership(for: mine) == nil)
        // Another member has added the device, and the answer says that this one has.
        let addsThird = try addition(third.keys)
        let byThird = try Statement(
            circle: device.circle, signer: third.keys.device, past: [addsThird.statement.name],
            .addition(other.keys, .admin))
        let real = SignedStatement(
            byThird, signature: SignedStatement.lower(try third.membership.signature(for: byThird.bytes)))
        #expect(try answer(to: mine, [device.founding, addsThird, real, forged]).membership(for: mine) == nil)
        // Each statement, generation and head is of one circle.
        #expect(throws: CircleFormError.place) { try answer(to: mine, [other.founding]) }
        let (_, foreign) = try other.written(1, count: 1)
        #expect(throws: CircleFormError.place) { try answer(to: mine, heads: [other.head(foreign[1])]) }
        #expect(throws: CircleFormError.order) {
            try answer(to: mine, heads: [device.head(ends[1]), device.head(ends[2])])
        }
    }
}
