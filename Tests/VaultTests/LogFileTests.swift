import Authorization
import Cryptography
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Vault

/// The access log's file at its limits, to the byte.
struct LogFileTests {
    private let fixture: VaultFixture
    private let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    private var path: String { fixture.folder.path + "/a.log" }

    private func log(limit: Int, anchor: [UInt8]? = nil) throws -> AccessLog {
        let log = AccessLog(path: path, keys: vault.keys, format: vault.format, limit: limit, now: { 7 })
        try log.restore(anchor: anchor)
        return log
    }

    private func note(_ count: Int, in log: AccessLog) throws {
        for _ in 0..<count { try log.note(AccessRecord(.read), .written) { () throws(VaultError) in } }
    }

    private func records(_ log: AccessLog) throws -> [AccessRecord] {
        try log.page(after: 0, since: 0, limit: 100_000).records
    }

    private func size() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: path)).count }

    /// How long one of the short records here is in the file.
    private func recordSize() throws -> Int {
        let log = try log(limit: AccessLogLimits.size)
        let before = try size()
        try note(1, in: log)
        let length = try size() - before
        try FileManager.default.removeItem(atPath: path)
        return length
    }

    private func write(_ bytes: [UInt8], count: Int) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: UInt64(count))
        try handle.close()
    }

    @Test("the longest record has room in a log that is full after it")
    func fullAfterwards() throws {
        let length = try recordSize()
        let log = try log(limit: LogStart.count + 4 * length + AccessLogLimits.record)
        try note(3, in: log)
        #expect(try size() == LogStart.count + 4 * length)
        // The log is as long as it may be with the longest record still to come, so nothing is dropped yet.
        #expect(try records(log).map(\.event) == [.start, .read, .read, .read])
        #expect(try records(log).allSatisfy { $0.missed == nil })
    }

    @Test("what stays of a full log takes exactly the half")
    func half() throws {
        let length = try recordSize()
        let log = try log(limit: 2 * (AccessLogLimits.record + 10 * length))
        var before: Int
        repeat {
            before = try size()
            try note(1, in: log)
        } while try size() > before
        let kept = try records(log)
        #expect(kept.count == 12 && kept.suffix(2).map(\.event) == [.dropped, .read])
        #expect(kept.prefix(10).allSatisfy { $0.event == .read })
        #expect(kept[10].detail == "records 1 to \(kept[0].sequence - 1): there were too many")
        #expect(try log.verification().problem == nil)
        // What was dropped is told by its numbers.
        let (oldest, dropped) = (try #require(kept.first), try #require(kept.first { $0.event == .dropped }))
        #expect(dropped.detail == "records 1 to \(oldest.sequence - 1): there were too many")
    }

    @Test("the newest record stays if the half has room for it, however long the one before it is")
    func halfBehindLong() throws {
        let length = try recordSize()
        let longer = AccessRecord(.read, detail: String(repeating: "x", count: 1000))
        let longerLength = try LogFormat(keys: vault.keys, format: vault.format)
            .seal(longer, sequence: 1, after: LogStart.none).count
        // The log is full when it has more than this, and its half has room for one short record.
        let most = AccessLogLimits.record + 2 * length
        let log = try log(limit: AccessLogLimits.record + most)
        while try size() + longerLength + length <= most { try note(1, in: log) }
        try log.note(longer, .written) { () throws(VaultError) in }
        try note(1, in: log)
        let count = try records(log).count
        try note(1, in: log)
        let kept = try records(log)
        #expect(kept.map(\.event) == [.read, .dropped, .read])
        #expect(kept.first?.sequence == UInt64(count) && kept.first?.detail == nil)
    }

    /// The log could not be synced, or the vault's file was replaced. A log without the record that the vault vouches for
    /// would be taken for a changed one.
    @Test("a full log drops nothing while what would stay is not vouched for")
    func halfBehindAnchor() throws {
        let length = try recordSize()
        let limit = 2 * (AccessLogLimits.record + 10 * length)
        let log = try log(limit: limit)
        let anchor = try #require(log.headToAnchor())
        log.wasAnchored(anchor)
        var refused: VaultError.Code?
        for _ in 0..<1000 where refused == nil { refused = vaultError { try note(1, in: log) } }
        #expect(refused == .storage)
        let before = try size()
        let again = try self.log(limit: limit, anchor: anchor)
        #expect(try records(again).allSatisfy { $0.event == .start || $0.event == .read })
        #expect(try size() == before)
        log.wasAnchored(try #require(log.headToAnchor()))
        try note(1, in: log)
        let kept = try records(log)
        #expect(try size() < before)
        #expect(kept.suffix(2).map(\.event) == [.dropped, .read] && kept.last?.missed == 1)
        #expect(try log.verification().problem == nil)
    }

    @Test("a log with a limit that leaves room for no record drops none")
    func noRoom() throws {
        let log = try log(limit: 2 * AccessLogLimits.record)
        try note(AccessLogLimits.record / 256 + 2, in: log)
        #expect(try records(log).allSatisfy { $0.event != .dropped })
        #expect(try log.verification().problem == nil)
    }

    @Test("the longest file that is read as a log, and one with a byte more", arguments: [0, 1])
    func longest(more: Int) throws {
        let limit = 4096
        try note(1, in: log(limit: limit))
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        try write(bytes, count: 2 * limit + LogStart.count + more)
        let log = try log(limit: limit)
        #expect(try records(log).map(\.event) == (more == 0 ? [.start, .read, .cut] : [.broken]))
    }

    @Test("whose log a file claims to be: at least a start, and at most four times the limit")
    func claim() throws {
        try note(1, in: log(limit: AccessLogLimits.size))
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        func claimed(_ count: Int) throws -> VaultID? {
            try write(Array(bytes.prefix(count)), count: count)
            return try LogStart.vault(ofFile: path)
        }
        #expect(try claimed(LogStart.count) == fixture.record.vault)
        #expect(try claimed(LogStart.count - 1) == nil)
        #expect(try claimed(4 * AccessLogLimits.size) == fixture.record.vault)
        #expect(try claimed(4 * AccessLogLimits.size + 1) == nil)
        try write([0] + Array(bytes.dropFirst()), count: bytes.count)
        #expect(try LogStart.vault(ofFile: path) == nil)
    }

    @Test("the longest frame is read, and one with a byte more ends the reading")
    func longestFrame() throws {
        let format = LogFormat(keys: vault.keys, format: vault.format)
        let start = try format.encode(LogStart(first: 1, previous: LogStart.none))
        func content(_ count: Int) throws -> LogContent {
            let frame = LogFrame(
                sequence: 1, sealed: [UInt8](repeating: 7, count: count), mac: [UInt8](repeating: 8, count: 32))
            return try LogContent(start + frame.encoded, format)
        }
        let longest = try content(AccessLogLimits.record)
        #expect(longest.frames.count == 1 && longest.rest == 0)
        let longer = try content(AccessLogLimits.record + 1)
        #expect(longer.frames.isEmpty && longer.rest == AccessLogLimits.record + 1 + 12 + 32)
    }

    /// Attacker 5 leaves the record's MAC, by which the vault knows it, and changes what it covers.
    @Test("a record that the vault vouches for, with another content, begins a new chain")
    func anchoredAndChanged() throws {
        let log = try log(limit: AccessLogLimits.size)
        try note(2, in: log)
        let anchor = try #require(log.headToAnchor())
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[bytes.count - SHA256.count - 1] ^= 1
        try write(bytes, count: bytes.count)
        let again = try self.log(limit: AccessLogLimits.size, anchor: anchor)
        let begun = try records(again)
        #expect(begun.map(\.event) == [.broken] && begun.map(\.sequence) == [1])
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
        #expect(try again.verification().problem?.contains("changed") == true)
    }

    /// Attacker 5 changes a record of a log that is in use. Its dropping would make a new chain of what was changed.
    @Test("a full log that was changed is kept beside a new one")
    func fullAndChanged() throws {
        let length = try recordSize()
        let log = try log(limit: LogStart.count + 4 * length + AccessLogLimits.record)
        try note(4, in: log)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: UInt64(LogStart.count + 2 * length - 1))
        let last = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: UInt64(LogStart.count + 2 * length - 1))
        try handle.write(contentsOf: Data([last ^ 1]))
        try handle.close()
        try note(1, in: log)
        let goesOn = try records(log)
        #expect(goesOn.map(\.event) == [.broken, .read] && goesOn.map(\.sequence) == [6, 7])
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
    }

    /// The records with which a log begins, and with which it says what was cut off, must not depend on the next sync.
    @Test("what a log says of itself is on the disk at once")
    func ownRecordsAreSynced() throws {
        let begun = try log(limit: AccessLogLimits.size)
        try withoutSyncing(path, flags: O_RDWR | O_APPEND) { try begun.sync() }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        try write(bytes + [1, 2, 3], count: bytes.count + 3)
        let cut = try log(limit: AccessLogLimits.size)
        #expect(try records(cut).map(\.event) == [.start, .cut])
        try withoutSyncing(path, flags: O_RDWR | O_APPEND) { try cut.sync() }
    }

    @Test("a log that is open is not opened again")
    func restoredOnce() throws {
        let log = try log(limit: AccessLogLimits.size)
        try FileManager.default.removeItem(atPath: path)
        try log.restore(anchor: nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a log that begins behind nothing of its own begins with record 1")
    func firstNumber() throws {
        let other = try VaultFixture().open()
        let earlier = AccessLog(
            path: path, keys: other.keys, format: other.format, limit: AccessLogLimits.size, now: { 7 })
        try earlier.restore(anchor: nil)
        try note(2, in: earlier)
        // Another vault's log is in its place.
        #expect(try records(log(limit: AccessLogLimits.size)).map(\.sequence) == [1])
        #expect(FileManager.default.fileExists(atPath: path + ".earlier"))
        // The log with the record that the vault vouches for is gone.
        try FileManager.default.removeItem(atPath: path)
        let anchor = [UInt8](repeating: 1, count: SHA256.count)
        let missing = try records(log(limit: AccessLogLimits.size, anchor: anchor))
        #expect(missing.map(\.event) == [.broken] && missing.map(\.sequence) == [1])
    }

    @Test("records of another log keep their numbers, and a log that begins without any begins with record 1")
    func carriedOver() throws {
        let log = AccessLog(
            path: path, keys: vault.keys, format: vault.format, limit: AccessLogLimits.size, now: { 7 })
        var carried = [AccessRecord(.unlock), AccessRecord(.lock)]
        for place in carried.indices { carried[place].sequence = 5 + UInt64(place) }
        for (records, numbers) in [([], [1]), (carried, [5, 6, 7])] as [([AccessRecord], [UInt64])] {
            try log.begin(with: records)
            try note(1, in: log)
            #expect(try self.records(log).map(\.sequence) == numbers)
            #expect(try log.verification().problem == nil)
        }
    }

    @Test("every byte of a record's number counts")
    func longNumber() throws {
        let format = LogFormat(keys: vault.keys, format: vault.format)
        let number: UInt64 = 0x0102_0304_0506_0708
        let start = try format.encode(LogStart(first: number, previous: LogStart.none))
        let frame = try format.seal(AccessRecord(.read), sequence: number, after: LogStart.none)
        let content = try LogContent(start + frame.encoded, format)
        #expect(content.start?.first == number && content.frames.map(\.sequence) == [number])
        #expect(try content.validCount(from: 0, format) == 1)
    }

    @Test("a record with another number than its place is no part of the chain")
    func otherNumber() throws {
        let format = LogFormat(keys: vault.keys, format: vault.format)
        let start = try format.encode(LogStart(first: 5, previous: LogStart.none))
        for (number, valid) in [(5, 1), (4, 0), (6, 0)] as [(UInt64, Int)] {
            let frame = try format.seal(AccessRecord(.read), sequence: number, after: LogStart.none)
            #expect(try LogContent(start + frame.encoded, format).validCount(from: 0, format) == valid)
        }
        // A number has eight bytes.
        let large: UInt64 = 0x0102_0304_0506_0708
        let other = try format.encode(LogStart(first: large, previous: LogStart.none))
        let frame = try format.seal(AccessRecord(.read), sequence: large, after: LogStart.none)
        let content = try LogContent(other + frame.encoded, format)
        #expect(content.start?.first == large && content.frames.map(\.sequence) == [large])
    }

    // Beginnings

    /// A folder that is not empty is neither removed nor replaced as a file would be.
    private func block(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/something", withIntermediateDirectories: true)
    }

    private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    @Test("a log that goes on from another's records has their numbers, and one without any begins with the first")
    func goingOn() throws {
        let log = AccessLog(
            path: path, keys: vault.keys, format: vault.format, limit: AccessLogLimits.size, now: { 7 })
        try log.begin(with: [])
        try note(1, in: log)
        #expect(try records(log).map(\.sequence) == [1])
        var (one, other) = (AccessRecord(.read), AccessRecord(.read))
        (one.sequence, other.sequence) = (300, 301)
        try log.begin(with: [one, other])
        try note(1, in: log)
        #expect(try records(log).map(\.sequence) == [300, 301, 302])
        #expect(try log.verification().problem == nil)
        // The new file cannot be written, so the log is not that one.
        try block(path + ".writing")
        #expect(vaultError { try log.begin(with: []) } == .storage)
        #expect(try records(log).map(\.sequence) == [300, 301, 302])
    }

    @Test("a log that is missing begins anew with the first number")
    func missing() throws {
        let found = try records(log(limit: AccessLogLimits.size, anchor: [UInt8](repeating: 7, count: SHA256.count)))
        #expect(found.map(\.event) == [.broken] && found.map(\.sequence) == [1])
    }

    @Test("another vault's log in this place is kept, or no log begins")
    func earlierVault() throws {
        let format = try LogFormat(keys: vault.keys, format: FormatContext(vault: .random()))
        let theirs = try format.encode(LogStart(first: 9, previous: LogStart.none))
        try write(theirs, count: theirs.count)
        try block(path + ".earlier")
        #expect(vaultError { _ = try log(limit: AccessLogLimits.size) } == .storage)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(theirs))
        try remove(path + ".earlier")
        let found = try records(log(limit: AccessLogLimits.size))
        #expect(found.map(\.event) == [.start] && found.map(\.sequence) == [1])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".earlier")) == Data(theirs))
    }

    /// It is the only trace of what somebody did to the log.
    @Test("a damaged log is kept, or no other one begins")
    func damaged() throws {
        let bytes = Array("no log".utf8)
        try write(bytes, count: bytes.count)
        for suffix in ["", ".2", ".3", ".4", ".5"] { try block(path + ".damaged" + suffix) }
        #expect(vaultError { _ = try log(limit: AccessLogLimits.size) } == .storage)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
    }

    /// Each is the trace of another accident. Somebody who breaks the log again and again must not fill the disk.
    @Test("damaged logs stay beside each other: the first one, and the newest")
    func severalDamaged() throws {
        for number in 1...7 {
            let bytes = Array("no log \(number)".utf8)
            try write(bytes, count: bytes.count)
            _ = try log(limit: AccessLogLimits.size)
        }
        let kept = try ["", ".2", ".3", ".4", ".5"].map { suffix in
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + ".damaged" + suffix)), as: UTF8.self)
        }
        #expect(kept == ["no log 1", "no log 4", "no log 5", "no log 6", "no log 7"])
        #expect(!FileManager.default.fileExists(atPath: path + ".damaged.6"))
    }

    @Test("a log that was changed in use goes on with the next number, once a new file can be written")
    func changedInUse() throws {
        let log = try log(limit: AccessLogLimits.size)
        try note(2, in: log)
        try write(Array(try Data(contentsOf: URL(fileURLWithPath: path))), count: size() + 1)
        try block(path + ".writing")
        #expect(vaultError { try note(1, in: log) } == .storage)
        try remove(path + ".writing")
        try note(1, in: log)
        let found = try records(log)
        #expect(found.map(\.event) == [.broken, .read] && found.map(\.sequence) == [4, 5])
        #expect(found.last?.missed == 1)
    }

    @Test("nothing is recorded, and nothing is dropped, that the vault should vouch for and cannot")
    func anchors() throws {
        let length = try recordSize()
        let log = try log(limit: LogStart.count + 4 * length + AccessLogLimits.record)
        func outcome(_ durability: LogDurability) -> VaultError.Code? {
            vaultError { try log.note(AccessRecord(.read), durability) { () throws(VaultError) in throw .notFound } }
        }
        #expect(outcome(.anchored) == .notFound)
        for _ in 0..<3 { #expect(outcome(.written) == nil) }
        // It is full now.
        let before = try size()
        #expect(outcome(.written) == .notFound)
        #expect(try size() == before)
    }
}
