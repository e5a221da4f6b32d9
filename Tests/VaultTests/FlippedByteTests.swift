import Authorization
import Cryptography
import Foundation
import Item
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Vault

/// Every single byte of a small vault is changed, but not all of a page's unused ones. Each item reads back exactly, or
/// the vault reports damage. Nothing else happens.
struct FlippedByteTests {
    /// Small pages make a small file of the same structure.
    static let pageSize = 512

    struct Expected: Sendable {
        var values: [String: [UInt8]]
        let agreements: Agreements
        /// Stored, but never acknowledged. It may be there or not.
        var unacknowledged: Set<String> = []
    }

    /// A vault with one item that needs everything for its read: the smallest file in which nothing is missing.
    private func make(_ fixture: VaultFixture) throws -> Expected {
        let vault = try fixture.open()
        let item = try vault.set(
            .make("s", "gated", "one", AccessControl(isThisDeviceOnly: true, requirements: [.userPresence]))
        ).item
        return Expected(values: ["gated": Array("one".utf8)], agreements: try fixture.agreements(vault, item))
    }

    /// What is wrong with the answers of the vault in a folder; nil if nothing is.
    private func complaint(_ fixture: VaultFixture, _ directory: String, _ expected: Expected) -> String? {
        do throws(VaultError) {
            let vault = try OpenVault(
                directory: directory, record: fixture.record, sealer: fixture.sealer,
                now: { fixture.clock.withLock { $0 } })
            let keys = try vault.classKeys(unlockRoot: fixture.keys.unlockRoot)
            var missing = 0
            for (account, value) in expected.values {
                let item: ItemSummary
                do throws(VaultError) { item = try vault.find(service: "s", account: account) } catch {
                    guard error.code == .notFound, expected.unacknowledged.contains(account) else { throw error }
                    missing += 1
                    continue
                }
                let read = try vault.value(of: item, classKeys: keys, agreements: expected.agreements)
                guard revealed(read) == value else { return "\(account) reads as something else" }
            }
            let count = try vault.count
            return count == expected.values.count - missing ? nil : "there are \(count) items"
        } catch {
            return error.code == .damaged ? nil : "\(error)"
        }
    }

    /// The bytes to change: all but the inner ones of long runs of zeros, of which one in nine is. Those are unused.
    private func places(_ bytes: Data) -> [Int] {
        let edge = 16
        var (places, start) = ([Int](), 0)
        while start < bytes.count {
            let end = bytes[start...].firstIndex { $0 != 0 } ?? bytes.count
            places += (start..<end).filter { $0 < start + edge || $0 >= end - edge || $0 % 9 == 0 }
            if end < bytes.count { places.append(end) }
            start = end + 1
        }
        return places
    }

    /// Runs `check` for each place, on all processors, each with a folder of its own.
    private func forEach(_ places: [Int], _ check: @Sendable (Int, String) throws -> String?) throws {
        let complaints = Mutex<[String]>([])
        let workers = max(2, ProcessInfo.processInfo.activeProcessorCount)
        let next = Atomic<Int>(0)
        let folders = try (0..<workers).map { _ in try TemporaryFolder(inMemory: true) }
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            while true {
                let number = next.add(1, ordering: .relaxed).oldValue
                guard number < places.count else { return }
                let complaint: String?
                do { complaint = try check(places[number], folders[worker].path) } catch { complaint = "\(error)" }
                if let complaint { complaints.withLock { $0.append("byte \(places[number]): \(complaint)") } }
            }
        }
        let found = complaints.withLock { $0 }
        #expect(found.isEmpty, "\(found.count) of \(places.count): \(found.prefix(20))")
    }

    private func write(_ bytes: Data, _ path: String) throws { try bytes.write(to: URL(fileURLWithPath: path)) }

    @Test func everyByteOfTheFile() throws {
        let fixture = try VaultFixture(pageSize: Self.pageSize)
        let expected = try make(fixture)
        let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let name = VaultFile.path(of: fixture.record.owner, in: "")
        try forEach(places(whole)) { place, folder in
            for leftover in ["-wal", "-shm", "-journal"] {
                // Usually there is none.
                try? FileManager.default.removeItem(atPath: folder + name + leftover)
            }
            var bytes = whole
            bytes[place] ^= UInt8(1 << (place % 8))
            try write(bytes, folder + name)
            return complaint(fixture, folder, expected)
        }
        #expect(complaint(fixture, fixture.folder.path, expected) == nil)
        _ = try fixture.open().verify()
    }

    /// The WAL as a kill between commit and write-back leaves it. Acknowledged changes must be there, others may be.
    @Test func everyByteOfTheLog() throws {
        let fixture = try VaultFixture(pageSize: Self.pageSize)
        let expected = try make(fixture)
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        do { try fixture.open().set(.make("s", "third", "three", AccessControl(.always))) }
        let after = fixture.folder.path + "/after"
        try FileManager.default.copyItem(atPath: fixture.path, toPath: after)

        // The same change once more, as a WAL that was not written back.
        try write(before, fixture.path)
        let database = try Connection(path: fixture.path)
        for pragma in ["journal_mode = WAL", "wal_autocheckpoint = 0"] { try database.once("PRAGMA \(pragma)") }
        try database.once("ATTACH '\(after)' AS after")
        try database.transaction(.writing, { $0 }) { () throws(SQLiteError) in
            for table in ["header", "item", "field", "value", "posting", "node"] {
                try database.once("INSERT OR REPLACE INTO main.\(table) SELECT * FROM after.\(table)")
            }
        }
        let file = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let log = try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal"))
        try database.close()
        #expect(log.count > 4096)

        let name = VaultFile.path(of: fixture.record.owner, in: "")
        var extended = expected
        extended.values["third"] = Array("three".utf8)
        extended.unacknowledged = ["third"]
        let all = extended
        try forEach(places(log)) { place, folder in
            var damaged = log
            damaged[place] ^= UInt8(1 << (place % 8))
            try write(file, folder + name)
            try write(damaged, folder + name + "-wal")
            return complaint(fixture, folder, all)
        }
        // The whole WAL makes the change, so the test above has checked the right one.
        try write(file, fixture.path)
        try write(log, fixture.path + "-wal")
        #expect(try fixture.value(fixture.open(), "s", "third") == Array("three".utf8))
    }
}
