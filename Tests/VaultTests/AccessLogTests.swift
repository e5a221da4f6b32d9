import Authorization
import Cryptography
import Foundation
import JSON
import TestSupport
import Testing

@testable import Vault

/// The access log's file and the attackers who can write it (attacker 5) or read it (attacker 1).
struct AccessLogTests {
    private let fixture: VaultFixture

    init() throws { fixture = try VaultFixture() }

    private var path: String { VaultFile.logPath(of: fixture.record.owner, in: fixture.folder.path) }

    private func read(_ name: String) -> AccessRecord {
        AccessRecord(
            .read,
            by: .init(uid: 1000, pid: 7, name: "program-canary", isResolved: false, controlGroup: "/group-canary"),
            of: .init(item: nil, service: "service-canary-\(name)", account: "account-canary", require: ["presence"]))
    }

    /// A closed vault whose log has `start` and these reads. The vault vouches for the last of them.
    private func logged(_ names: [String], durability: LogDurability = .anchored) throws {
        let vault = try fixture.open()
        for name in names { try vault.note(read(name), .written) }
        if durability == .anchored { try vault.anchorLog() }
        try vault.database.close()
    }

    private func file() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    /// Somebody moved an earlier vault's file away, and left its log.
    @Test func anEarlierVaultsLogInThisPlaceIsNoDamage() throws {
        let other = try VaultFixture()
        let earlier = try other.open()
        try earlier.note(read("earlier"), .anchored)
        try earlier.database.close()
        let left = VaultFile.logPath(of: other.record.owner, in: other.folder.path)
        try FileManager.default.copyItem(atPath: left, toPath: path)
        let vault = try fixture.open()
        try vault.note(read("own"), .anchored)
        #expect(try vault.verifyLog().problem == nil)
        #expect(try vault.logPage().records.map(\.event) == [.start, .read])
        #expect(FileManager.default.contentsEqual(atPath: left, andPath: path + ".earlier"))
        // With an anchor, the same file in this place is damage.
        try vault.database.close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: left, toPath: path)
        #expect(try fixture.open().verifyLog().problem != nil)
    }

    /// The place of each record in the file.
    private func places(_ bytes: [UInt8]) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var start = LogStart.count
        while start < bytes.count {
            let end = start + 12 + bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } + 32
            places.append(start..<end)
            start = end
        }
        return places
    }

    private func services(_ vault: OpenVault) throws -> [String] {
        try vault.logPage().records.compactMap { $0.subject?.service.replacing("service-canary-", with: "") }
    }

    @Test("what is logged comes back in order, numbered, with its time, also after the vault was closed")
    func comesBack() throws {
        try logged(["a", "b"])
        fixture.advance(milliseconds: 1000)
        let vault = try fixture.open()
        try vault.note(read("c"), .synced)
        let page = try vault.logPage()
        #expect(page.problem == nil && !page.hasMore)
        #expect(page.records.map(\.event) == [.start, .read, .read, .read])
        #expect(page.records.map(\.sequence) == [1, 2, 3, 4])
        #expect(page.records[3].time == page.records[2].time + 1000)
        #expect(page.records[3].subject == read("c").subject && page.records[3].program == read("c").program)
        #expect(try vault.logPage(after: 2, limit: 1).records.map(\.sequence) == [3])
        #expect(try vault.logPage(after: 2, limit: 1).hasMore)
        #expect(try vault.logPage(since: page.records[3].time).records.map(\.sequence) == [4])
        let found = try vault.verifyLog()
        #expect(found.problem == nil && found.records == 4 && found.first == 1 && found.last == 4)
        // The tree's entry for the log does not count as a missing row.
        _ = try vault.verify()
    }

    @Test("the vault vouches for each end of the log once, and for none that nobody looked at")
    func vouching() throws {
        let vault = try fixture.open()
        // Nothing was logged yet.
        try vault.anchorLog()
        #expect(!FileManager.default.fileExists(atPath: path))
        try vault.note(read("a"), .anchored)
        let revision = vault.lastHeader.revision
        try vault.anchorLog()
        #expect(vault.log.headToAnchor() == nil && vault.lastHeader.revision == revision)
        // Where the log ends is asked of the tree once.
        let reads = vault.treeReadCount
        try vault.note(read("b"), .written)
        #expect(vault.treeReadCount == reads)
    }

    @Test("a record is written as its decoder reads it")
    func written() throws {
        var escaped = AccessRecord(
            .read, outcome: "locked",
            by: AccessRecord.Program(uid: .max, pid: 7, name: "\"/\\\u{1F}ä", isResolved: true, controlGroup: "0::/a"),
            of: AccessRecord.Subject(
                item: "i", service: "s/\n", account: "", kind: .file, require: ["presence", "passcode"]),
            reason: "why", detail: "more")
        escaped.time = .max
        escaped.missed = 3
        var plain = AccessRecord(
            .read, outcome: "done",
            by: AccessRecord.Program(uid: 5, pid: 7, name: "p", isResolved: true, controlGroup: "0::/a"),
            of: AccessRecord.Subject(item: "i", service: "s", account: "a", kind: .file, require: ["presence"]),
            reason: "why", detail: "more")
        (plain.time, plain.missed) = (5, 3)
        for record in [escaped, plain, AccessRecord(.start)] {
            let text = JSONWriter.bytes(of: record)
            #expect(try JSONDecoder().decode(AccessRecord.self, from: Data(text)) == record)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            #expect(try encoder.encode(record).count == text.count)
            // Its members stand in the order of their names, as they always have.
            if record != escaped { #expect(try Array(encoder.encode(record)) == text) }
            #expect(try JSONReader.read(AccessRecord.self, from: text) == record)
            // As Coffer wrote records before it had a writer of its own.
            #expect(try JSONReader.read(AccessRecord.self, from: Array(JSONEncoder().encode(record))) == record)
        }
    }

    @Test("a record of an earlier version is read: it calls a resolved program verified")
    func earlierName() throws {
        let text = #"{"event":"read","outcome":"done","program":{"uid":1000,"pid":7,"isVerified":true},"time":5}"#
        let record = try JSONReader.read(AccessRecord.self, from: Array(text.utf8))
        #expect(record.program?.isResolved == true && record.program?.name == nil && record.time == 5)
        #expect(try JSONDecoder().decode(AccessRecord.self, from: Data(text.utf8)) == record)
    }

    @Test(
        "a record with something unknown, or without what each has, is none",
        arguments: [
            #"{"event":"dance","outcome":"done","time":5}"#, #"{"event":"read","time":5}"#,
            #"{"event":"read","outcome":"done"}"#, #"{"outcome":"done","time":5}"#,
            #"{"event":"read","outcome":"done","program":{"uid":1000,"pid":7},"time":5}"#,
            #"{"event":"read","outcome":"done","subject":{"service":"s"},"time":5}"#,
            #"{"event":"read","outcome":"done","subject":{"kind":"shoe","require":[],"service":"s"},"time":5}"#,
        ])
    func unreadable(text: String) {
        #expect(throws: JSONFailure.self) { try JSONReader.read(AccessRecord.self, from: Array(text.utf8)) }
    }

    @Test("nobody who reads the files learns a name from the log")
    func sealedNames() throws {
        try logged(["a"])
        for (name, bytes) in try fixture.files() {
            for canary in ["canary", "presence"] where !name.hasSuffix(".key") {
                #expect(bytes.range(of: Data(canary.utf8)) == nil, "\(canary) in \(name)")
            }
        }
    }

    @Test("a record that was taken away at the end is missed once the vault vouched for it")
    func truncated() throws {
        try logged(["a", "b", "c"])
        let bytes = try file()
        let last = try #require(places(bytes).last)
        try write(Array(bytes[..<last.lowerBound]))
        let vault = try fixture.open()
        #expect(try vault.verifyLog().problem?.contains("missing") == true)
        // The rest can still be read, and the log goes on.
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
        try vault.note(read("d"), .anchored)
        #expect(try vault.logPage().records.map(\.event) == [.broken, .read])
        #expect(try vault.verifyLog().problem?.contains("missing") == true)
    }

    @Test("a log that is taken away whole is missed")
    func removed() throws {
        try logged(["a"])
        try FileManager.default.removeItem(atPath: path)
        let vault = try fixture.open()
        #expect(try vault.verifyLog().problem?.contains("missing") == true)
    }

    /// Attacker 5 could otherwise take the log away and wait for the next renewal.
    @Test("a renewal of all keys does not end the mark of a lost log")
    func markOutlivesRenewal() throws {
        try logged(["a"])
        try FileManager.default.removeItem(atPath: path)
        let vault = try fixture.open()
        #expect(try vault.verifyLog().problem == "before record 1, it was missing")
        let successor = try fixture.successor(of: vault)
        try successor.complete(from: vault, recording: AccessRecord(.rotate))
        let found = try successor.vault.verifyLog()
        #expect(found.problem?.contains("it was missing") == true)
        #expect(try successor.vault.logPage().records.map(\.event) == [.broken, .broken, .rotate])
    }

    @Test("a log that is taken away or changed while it is in use is missed", arguments: ["gone", "cut", "longer"])
    func changedInUse(how: String) throws {
        let vault = try fixture.open()
        try vault.note(read("a"), .synced)
        let bytes = try file()
        switch how {
        case "gone": try FileManager.default.removeItem(atPath: path)
        case "cut":
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.truncate(atOffset: UInt64(bytes.count - 1))
        default:
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data([0]))
        }
        let problem = try vault.verifyLog().problem
        #expect(problem?.hasPrefix("it is missing, belongs to another vault") == (how == "gone") && problem != nil)
        try vault.note(read("b"), .synced)
        #expect(try vault.logPage().records.map(\.event) == [.broken, .read])
        #expect(try vault.verifyLog().problem == "before record 3, it was changed while it was in use")
    }

    @Test("whole records that are taken away at its end while it is in use are missed", arguments: [1, 2])
    func endCutInUse(count: Int) throws {
        let vault = try fixture.open()
        for name in ["a", "b", "c"] { try vault.note(read(name), .synced) }
        let bytes = try file()
        let ends = places(bytes)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: UInt64(ends[ends.count - count].lowerBound))
        // Only the broker's memory vouches for them yet.
        #expect(try vault.verifyLog().problem == "records at its end are missing")
        #expect(try vault.logPage().problem == "records at its end are missing")
    }

    @Test("a record that is put in another's place while the log is in use is noticed")
    func changedInPlaceInUse() throws {
        let vault = try fixture.open()
        for name in ["a", "b"] { try vault.note(read(name), .anchored) }
        var bytes = try file()
        bytes[try #require(places(bytes).last).upperBound - 1] ^= 1
        // Of the same length, so the file's size reveals nothing.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: Data(bytes))
        #expect(try vault.verifyLog().problem?.contains("changed after record") == true)
    }

    @Test("every changed byte of the log is noticed")
    func edited() throws {
        try logged(["a", "b"])
        let bytes = try file()
        for place in stride(from: 0, to: bytes.count, by: 13) {
            var changed = bytes
            changed[place] ^= 1
            try write(changed)
            let vault = try fixture.open()
            #expect(try vault.verifyLog().problem != nil, "byte \(place)")
            try vault.database.close()
        }
    }

    @Test(
        "records in another order, twice, or left out are noticed",
        arguments: [[0, 2, 1, 3], [0, 1, 1, 2, 3], [0, 2, 3], [1, 2, 3], [3], [0, 1, 3, 2], []])
    func reordered(order: [Int]) throws {
        try logged(["a", "b", "c"])
        let bytes = try file()
        let parts = places(bytes).map { Array(bytes[$0]) }
        try write(Array(bytes[..<LogStart.count]) + order.flatMap { parts[$0] })
        #expect(try fixture.open().verifyLog().problem != nil)
    }

    /// Attacker 5 has two copies of the vault's own log: both records are this vault's, at this place, but each stands behind another.
    @Test("a record of the vault's own that another copy had at the same place is noticed")
    func splicedFromACopy() throws {
        try logged(["s"])
        let before = try fixture.files()
        func restore(_ files: [(name: String, bytes: Data)]) throws {
            for file in files { try file.bytes.write(to: URL(fileURLWithPath: "\(fixture.folder.path)/\(file.name)")) }
        }
        try logged(["x"])
        let other = try file()
        try restore(before)
        try logged(["a", "b"])
        let own = try file()
        let (mine, others) = (places(own), places(other))
        try #require(mine.count == 4 && others.count == 3)
        try write(Array(own[..<mine[2].lowerBound]) + other[others[2]] + own[mine[3]])
        let vault = try fixture.open()
        #expect(try vault.verifyLog().problem != nil)
        #expect(try services(vault) == [])
    }

    @Test("before old records are dropped the vault vouches for the newest, so that a crash afterwards looks like none")
    func droppedAndCrashed() throws {
        func open() throws -> OpenVault {
            try OpenVault(
                directory: fixture.folder.path, record: fixture.record, sealer: fixture.sealer,
                now: { 1_800_000_000_000 }, logLimit: 256 << 10)
        }
        let vault = try open()
        try vault.note(read("first"), .anchored)
        for number in 0..<1200 { try vault.note(read("\(number)"), .written) }
        #expect(try vault.logPage().records.contains { $0.event == .dropped })
        #expect(try vault.verifyLog().problem == nil)
        // A crash: nothing vouches for the last records, but they are on the disk.
        try vault.database.close()
        let again = try open()
        #expect(try again.verifyLog().problem == nil)
        #expect(try !again.logPage().records.contains { $0.event == .broken })
        #expect(try again.logPage().records.contains { $0.subject?.service.hasSuffix("-1199") == true })
    }

    @Test("a record repeated behind the last one is cut off like the torn end of a crash, and that is recorded")
    func repeated() throws {
        try logged(["a", "b"])
        let bytes = try file()
        try write(bytes + bytes[try #require(places(bytes).last)])
        let vault = try fixture.open()
        #expect(try vault.logPage().records.map(\.event) == [.start, .read, .read, .cut])
        #expect(try vault.verifyLog().problem == nil)
    }

    @Test("another vault's log, or a record of it, is not taken for this one's")
    func foreign() throws {
        let other = try VaultFixture(owner: .user(1001), in: fixture.folder)
        let vault = try other.open()
        for name in ["x", "y"] { try vault.note(read(name), .synced) }
        try vault.anchorLog()
        try vault.database.close()
        let foreign = Array(
            try Data(contentsOf: URL(fileURLWithPath: VaultFile.logPath(of: other.record.owner, in: other.folder.path)))
        )
        try logged(["a"])
        let own = try file()
        let foreignRecord = try #require(places(foreign).last)
        let ownRecord = try #require(places(own).last)
        try write(Array(own[..<ownRecord.lowerBound]) + foreign[foreignRecord])
        var opened = try fixture.open()
        #expect(try opened.verifyLog().problem != nil)
        #expect(try services(opened) == [])
        try opened.database.close()
        try write(foreign)
        opened = try fixture.open()
        #expect(try opened.verifyLog().problem != nil)
        #expect(try services(opened) == [])
    }

    @Test("the torn end of a crash is cut off and recorded, and takes nothing with it that the vault vouched for")
    func torn() throws {
        try logged(["a"])
        let vault = try fixture.open()
        try vault.note(read("b"), .synced)
        // The vault is not closed in order, so nothing vouches for “b”.
        try vault.database.close()
        let bytes = try file()
        try write(Array(bytes.dropLast(5)))
        let again = try fixture.open()
        #expect(try again.logPage().records.map(\.event) == [.start, .read, .cut])
        #expect(try again.verifyLog().problem == nil)
    }

    @Test("a full log drops its older half, says so, and stays one chain through a restart")
    func bounded() throws {
        let limit = 256 << 10
        func open() throws -> OpenVault {
            try OpenVault(
                directory: fixture.folder.path, record: fixture.record, sealer: fixture.sealer,
                now: { 1_800_000_000_000 }, logLimit: limit)
        }
        let vault = try open()
        for number in 0..<1200 {
            try vault.note(read("\(number)"), .written)
            if number.isMultiple(of: 100) { #expect(try file().count <= limit) }
        }
        try vault.anchorLog()
        let records = try vault.logPage().records
        #expect(records.first?.sequence ?? 0 > 1 && records.contains { $0.event == .dropped })
        #expect(try vault.logPage(after: 1100).records.contains { $0.subject?.service.hasSuffix("-1199") == true })
        #expect(try vault.verifyLog().problem == nil)
        try vault.database.close()
        let again = try open()
        #expect(try again.verifyLog().problem == nil)
        #expect(try again.logPage(after: 1100).records.contains { $0.subject?.service.hasSuffix("-1199") == true })
    }

    @Test("a record that could not be written is counted by the next one")
    func missed() throws {
        let vault = try fixture.open()
        try vault.note(read("a"), .synced)
        let tooLong = String(repeating: "x", count: 1 << 20)
        #expect(throws: VaultError.self) { try vault.note(AccessRecord(.read, detail: tooLong), .written) }
        try vault.note(read("b"), .synced)
        #expect(try vault.logPage().records.last?.missed == 1)
        #expect(try vault.verifyLog().problem == nil)
    }

    /// Nothing of a vault that has no record yet can be missing.
    @Test("what is in the log's place before a vault's first record is said to be no log, and is no damage of its own")
    func firstRecord() throws {
        try write(Array("something else".utf8))
        let vault = try fixture.open()
        try vault.note(read("a"), .anchored)
        #expect(try vault.logPage().records.map(\.event) == [.broken, .read])
        let verification = try vault.verifyLog()
        #expect(verification.problem == nil && verification.first == 1 && verification.last == 2)
    }
}
