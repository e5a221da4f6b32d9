import Authorization
import BrokerProtocol
import Circle
import Platform
import Testing

@testable import Courier

/// A store that has damaged files (attacker 10, a disk, or a power cut). Those who have them write them again, and nobody
/// writes what is right.
@Suite struct DamagedFilesTests {
    private let fixture: ExchangeFixture

    init() throws { fixture = try ExchangeFixture() }

    /// Has the broker give out these files of this vault if the store lacks them, or says another length.
    private func giving(_ files: [Sync.File], ending ended: [String] = []) {
        let lengths = files.map { Int64(Base64.decode($0.content)?.count ?? 0) }
        fixture.broker.giving = { call in
            let lost = zip(files, lengths).filter { file, length in
                guard let place = call.names.firstIndex(of: file.path) else { return true }
                guard let size = call.sizes?[place], size >= 0 else { return false }
                return size != length
            }.map(\.0)
            return .init(files: lost, more: false, ended: lost.isEmpty && !ended.isEmpty ? ended : nil)
        }
    }

    /// Has the broker put back these files of the other device in the same way.
    private func holding(_ files: [Sync.File]) {
        let lengths = files.map { Int64(Base64.decode($0.content)?.count ?? 0) }
        let device = Hex.encode(fixture.other.bytes)
        fixture.store.put([9], fixture.head(fixture.other))
        fixture.broker.taken = { _ in
            .init(
                added: 0, updated: 0, deleted: 0, waiting: 0, obstacles: [],
                held: [.init(device: device, segments: Int64(files.count), bytes: lengths.reduce(0, +))])
        }
        fixture.broker.lost = { call in
            let lost = zip(files, lengths).filter { file, length in
                guard let place = call.names.firstIndex(of: file.path) else { return true }
                guard let size = call.sizes?[place], size >= 0 else { return false }
                return size != length
            }.map(\.0)
            return .init(files: lost, more: false)
        }
    }

    /// A segment with so many records, as its device would write it.
    private func segment(_ device: WriterID, from first: UInt64 = 1, records count: UInt64) throws -> [UInt8] {
        let before = try #require(ChainHash(bytes: [UInt8](repeating: 5, count: ChainHash.count)))
        let records = try (first..<first + count).map { number in
            try CircleRecord(
                CircleRecord.Header(
                    circle: fixture.circle, device: device, run: StoreFixture.run(1), number: number, generation: nil),
                sealed: [UInt8](repeating: UInt8(number), count: 64 + 28))
        }
        return try RecordSegment(before: before, records: records).bytes
    }

    @Test(arguments: [0, 2000]) func anOwnFileOfAnotherLengthIsWrittenAgain(length: Int) throws {
        let path = try fixture.segment(fixture.own, 1)
        let right = try segment(fixture.own, records: 1)
        fixture.store.measure()
        fixture.store.put([UInt8](repeating: 0, count: length), path)
        giving([fixture.file(path, right)])
        let outcome = try fixture.run()
        #expect(outcome.given == 1 && fixture.store.seen.files[path] == right)
        #expect(fixture.store.seen.writes == [path, .beacon(circle: fixture.circle)])
        // A circle that is in order stays quiet.
        #expect(try fixture.run().given == 0)
        #expect(fixture.store.seen.writes.count == 2)
    }

    /// A file that nothing is known of is not doubted.
    @Test func withoutLengthsNothingIsWrittenAgain() throws {
        let path = try fixture.segment(fixture.own, 1)
        fixture.store.put([], path)
        giving([fixture.file(path, try segment(fixture.own, records: 1))])
        #expect(try fixture.run().given == 0)
        #expect(fixture.broker.gives.map(\.sizes) == [nil] && fixture.store.seen.reads.isEmpty)
    }

    /// A server that encrypts can say other lengths for everything.
    @Test func aStoreThatMeasuresWronglyIsNotWrittenTo() throws {
        let files = try (UInt64(1)...3).map { number in
            fixture.file(try fixture.segment(fixture.own, number), [UInt8(number)])
        }
        for number in UInt64(1)...4 {
            fixture.store.put([UInt8(number)], try fixture.segment(fixture.own, number))
        }
        let ended = try fixture.segment(fixture.own, 4)
        fixture.store.measure(adding: 16)
        giving(files, ending: [ended.text])
        #expect(try fixture.run().given == 0)
        #expect(fixture.store.seen.writes.isEmpty)
        // One is looked at. Then nothing that it says of lengths is believed, and the exchange comes to its end.
        #expect(fixture.store.seen.reads.count == 1)
        #expect(fixture.broker.gives.map { $0.sizes != nil } == [true, false])
        #expect(fixture.store.seen.files[ended] == nil)
    }

    /// What the broker cannot use although a head leads there is not in the store for anybody.
    @Test func whatTheBrokerCallsUnfitIsGivenOutAgain() throws {
        let paths = try (UInt64(1)...2).map { try fixture.segment(fixture.own, $0) }
        for path in paths { fixture.store.put([0], path) }
        fixture.broker.wanted = { $0 }
        fixture.broker.taken = { count in
            .init(
                added: 0, updated: 0, deleted: 0, waiting: 0, obstacles: [], unfit: count == 1 ? [0] : nil)
        }
        giving(paths.map { fixture.file($0, [7]) })
        #expect(try fixture.run().given == 1)
        // They are handed over from the last to the first.
        #expect(fixture.store.seen.files[paths[1]] == [7] && fixture.store.seen.files[paths[0]] == [0])
    }

    /// What the store has said of their lengths is about the files that were there before.
    @Test func whatWasWrittenAgainIsNotGivenOutOnceMore() throws {
        let paths = try (UInt64(1)...2).map { try fixture.segment(fixture.own, $0) }
        for path in paths { fixture.store.put([0, 0], path) }
        fixture.store.measure()
        fixture.broker.wanted = { $0 }
        fixture.broker.taken = { count in
            .init(
                added: 0, updated: 0, deleted: 0, waiting: 0, obstacles: [], unfit: count == 1 ? [0, 1] : nil)
        }
        giving(paths.map { fixture.file($0, [7]) })
        let all = try #require(fixture.broker.giving)
        // It has room for one file at a time.
        fixture.broker.giving = { call in
            let files = all(call).files
            return .init(files: Array(files.prefix(1)), more: files.count > 1)
        }
        #expect(try fixture.run().given == 2)
        for path in paths { #expect(fixture.store.seen.files[path] == [7]) }
        #expect(fixture.broker.gives.count == 2)
    }

    @Test func aPlaceThatWasNotHandedOverIsNotUnderstood() throws {
        fixture.broker.taken = { _ in
            .init(added: 0, updated: 0, deleted: 0, waiting: 0, obstacles: [], unfit: [0])
        }
        #expect(throws: ExchangeError<PlayedBroker.Refusal>.self) { try fixture.run() }
    }

    /// A file that is too long, or a link, is read by nobody.
    @Test func whatCannotBeReadIsGivenOutAgain() throws {
        let path = try fixture.segment(fixture.own, 1)
        fixture.store.spoil(path)
        fixture.broker.wanted = { $0 }
        giving([fixture.file(path, [7])])
        let outcome = try fixture.run()
        #expect(outcome.given == 1 && outcome.strange == [path.text] && fixture.store.seen.files[path] == [7])
    }

    @Test func aDamagedFileOfAnotherMachineIsPutBack() throws {
        let (path, right) = (try fixture.segment(fixture.other, 1), try segment(fixture.other, records: 1))
        fixture.store.measure()
        fixture.store.put([], path)
        holding([fixture.file(path, right)])
        #expect(try fixture.run().putBack == 1)
        #expect(fixture.store.seen.files[path] == right)
        let (writes, calls) = (fixture.store.seen.writes.count, fixture.broker.putBacks.count)
        #expect(try fixture.run().putBack == 0)
        #expect(fixture.store.seen.writes.count == writes && fixture.broker.putBacks.count == calls)
    }

    /// Its machine may have written the same records again in a longer file, which another member has.
    @Test func aLongerFileOfAnotherMachineIsLeftAlone() throws {
        let path = try fixture.segment(fixture.other, 1)
        let longer = try segment(fixture.other, records: 2)
        fixture.store.measure()
        fixture.store.put(longer, path)
        holding([fixture.file(path, try segment(fixture.other, records: 1))])
        for _ in 0..<2 { #expect(try fixture.run().putBack == 0) }
        #expect(fixture.store.seen.files[path] == longer && fixture.store.seen.writes.isEmpty)
    }

    /// A segment of somebody else, or of another place, is as bad as none.
    @Test func aSegmentInTheWrongPlaceIsReplaced() throws {
        let (path, right) = (try fixture.segment(fixture.other, 1), try segment(fixture.other, records: 1))
        fixture.store.measure()
        fixture.store.put(try segment(fixture.own, records: 2), path)
        holding([fixture.file(path, right)])
        #expect(try fixture.run().putBack == 1)
        #expect(fixture.store.seen.files[path] == right)
    }

    /// Who damages files again and again has a bounded number of them looked at in an exchange, be they right or not.
    @Test(arguments: [false, true]) func anExchangeLooksAtAFewAtATime(isRight: Bool) throws {
        let files = try (UInt64(1)...100).map { number -> Sync.File in
            let present = isRight ? try segment(fixture.other, from: number, records: 2) : []
            fixture.store.put(present, try fixture.segment(fixture.other, number))
            return fixture.file(try fixture.segment(fixture.other, number), [UInt8(number)])
        }
        fixture.store.measure()
        holding(files)
        let all = fixture.broker.lost
        fixture.broker.lost = { call in
            let reply = all(call)
            return .init(files: Array(reply.files.prefix(10)), more: reply.files.count > 10)
        }
        var limits = CourierLimits()
        limits.putBack = 25
        let outcome = try CircleExchange(
            of: fixture.circle, own: fixture.own, members: [fixture.other], store: fixture.store,
            broker: fixture.broker, limits: limits
        ).run()
        #expect(outcome.putBack == (isRight ? 0 : 30) && fixture.broker.putBacks.count == 3)
    }

    /// In a folder: what is empty and what is a folder in a file's place.
    @Test func aFolderInAFilesPlaceKeepsTheOthersFromNothing() throws {
        let folder = try StoreFixture()
        let store = try folder.store()
        let paths = try (UInt64(1)...3).map { try fixture.segment(fixture.own, $0) }
        try store.write([7], to: paths[0])
        try folder.put([], paths[1].text)
        try folder.makeFolder(paths[2].text)
        #expect(try store.sizes(of: paths) == [paths[0]: 1, paths[1]: 0, paths[2]: 0])
        giving(paths.map { fixture.file($0, [7]) })
        let outcome = try fixture.run(in: store)
        #expect(outcome.given == 1 && outcome.strange == ["\(folder.path)/\(paths[2].text)"])
        #expect(try store.read(paths[1]) == [7])
    }

    @Test func listsOfServersSayLengths() throws {
        let bucket = Array(
            ("<ListBucketResult><Contents><Key>k</Key><Size>12</Size></Contents>"
                + "<Contents><Key>l</Key><Size>-1</Size></Contents></ListBucketResult>").utf8)
        #expect(try S3Page(bucket, isDeep: true).entries.map(\.size) == [12, nil])
        let response = { (name: String, property: String) in
            "<response><href>/\(name)</href><propstat><prop>\(property)</prop></propstat></response>"
        }
        let list = Array(
            ("<multistatus xmlns=\"DAV:\">" + response("k", "<getcontentlength>12</getcontentlength>")
                + response("l", "<getcontentlength>x</getcontentlength>") + "</multistatus>").utf8)
        #expect(try WebDAVList(list).entries.map(\.size) == [12, nil])
    }
}
