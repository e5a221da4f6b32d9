import Authorization
import Cryptography
import Foundation
import Item
import Recovery
import SQLite
import TestSupport
import Testing

@testable import Vault

/// The bin in the vault's file: what attacker 1 sees of it, what attacker 5 can do to it, and that it never fills a
/// vault (attacker 7).
struct BinFileTests {
    private func open(_ fixture: VaultFixture, _ room: Room) throws -> OpenVault {
        try OpenVault(
            directory: fixture.folder.path, record: fixture.record, sealer: fixture.sealer,
            now: { fixture.clock.withLock { $0 } }, logLimit: AccessLogLimits.size, room: room)
    }

    /// Attacker 1 has the file, and cannot tell the bin from a service with some accounts.
    @Test func theBinLooksLikeOneMoreService() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        for (service, accounts) in [("live", ["a", "b", "c"]), ("gone", ["d", "e", "f"])] {
            for account in accounts { try vault.set(.make(service, account, "v")) }
        }
        for account in ["d", "e", "f"] { try vault.putAside(service: "gone", account: account) }
        try vault.close()
        var shapes: [[Int]: Int] = [:]
        var records: Set<Int> = []
        try fixture.tamper { database in
            var terms: [[UInt8]: [Int]] = [:]
            for row in try database.rows("SELECT items FROM posting") {
                guard case .blob(let items) = row[0] else { continue }
                for item in Posting.items(items) { terms[item.bytes, default: []].append(items.count / 16) }
            }
            for shape in terms.values { shapes[shape.sorted(), default: 0] += 1 }
            for row in try database.rows("SELECT length(record) FROM item") {
                if case .integer(let length) = row[0] { records.insert(Int(length)) }
            }
        }
        #expect(shapes == [[1, 3]: 6] && records.count == 1)
    }

    /// Attacker 5: what is in the bin stays there, and what is not there never is.
    @Test func everyEditIsDamage() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "v"))
        let item = try vault.putAside(service: "s", account: "a").item
        let term = try vault.keys.binTerm()
        let name = try vault.keys.term(service: "s", account: "a", kind: .genericPassword)
        try vault.close()
        let original = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let edits: [(Connection) throws -> Void] = [
            { try $0.plant(posting: term, items: []) }, { try $0.plant(posting: name, items: [item.id]) },
            { try $0.run("DELETE FROM posting WHERE term = ?", [.blob(term)]) },
        ]
        for (number, edit) in edits.enumerated() {
            try original.write(to: URL(fileURLWithPath: fixture.path))
            try fixture.tamper(edit)
            let vault = try fixture.open()
            #expect(vaultError { _ = try vault.putBack(service: "s", account: "a") } == .damaged, "\(number)")
            #expect(vaultError { _ = try vault.verify() } == .damaged, "\(number)")
            try vault.close()
        }
    }

    /// Attacker 5 changes the fields of an item in the bin. What cannot be removed whole stays, and nothing gets its
    /// place. Only calls about it end with damage.
    @Test func whatCannotBeRemovedFromTheBinStaysThere() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "v"))
        try vault.putAside(service: "s", account: "a")
        let bytes = try vault.database.read { (rows) throws(VaultError) in try rows.fileBytes() }
        try vault.close()
        try fixture.tamper { try $0.once("UPDATE field SET content = x'00'") }
        let value = String(repeating: "x", count: 60_000)
        let ways: [(Room, VaultError.Code?, (OpenVault) throws -> Void)] = [
            (Room(), .damaged, { try $0.deleteFromBin(service: "s", account: "a") }),
            (Room(), .damaged, { try $0.putBack(service: "s", account: "a") }),
            (Room(), nil, { try $0.put($0.history, BinSetting(days: 0)) }),
            (Room(items: 1), .limitExceeded, { try $0.set(.make("s", "new", "v")) }),
            (Room(file: bytes), .limitExceeded, { try $0.set(.make("s", "new", value)) }),
            (
                Room(), nil,
                {
                    fixture.advance(milliseconds: 31 * 86_400_000)
                    _ = try $0.sweepBin(limit: 9)
                }
            ),
        ]
        for (number, (room, outcome, way)) in ways.enumerated() {
            let vault = try open(fixture, room)
            #expect(vaultError { try way(vault) } == outcome, "\(number)")
            try vault.close()
        }
        let again = try open(fixture, Room())
        #expect(try again.list().isEmpty)
        #expect(vaultError { _ = try again.verify() } == .damaged)
    }

    @Test func aCompleteCheckKnowsTheBin() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "v"))
        try vault.set(.make("s", "b", "v"))
        try vault.putAside(service: "s", account: "a")
        _ = try vault.verify()
        try vault.write { (change) throws(VaultError) in change.next.oldestDeletion += 1 }
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// Attacker 5, on a TPM: deleted for good is deleted for good, also from the bin.
    @Test func anOlderFileDoesNotBringBackWhatLeftTheBin() throws {
        let fixture = try EpochTests.Fixture()
        for account in ["a", "b", "c"] { try fixture.set(account) }
        try fixture.deleteAndCount("c")
        let epoch = fixture.vault.epoch
        try fixture.vault.putAside(service: "s", account: "a")
        #expect(fixture.vault.epoch == epoch)
        fixture.close()
        let withBin = try fixture.copy()
        try fixture.open()
        try fixture.vault.begin()
        try fixture.count()
        // The run's first step already refuses the copy, so the deletion's own step is looked at.
        let begun = fixture.vault.epoch
        try fixture.vault.deleteFromBin(service: "s", account: "a")
        try fixture.count()
        #expect(fixture.vault.epoch > begun)
        fixture.close()
        let present = try fixture.copy()
        try fixture.putBack(withBin)
        #expect(fixture.refusal() == .rollback)
        try fixture.putBack(present)
        #expect(fixture.refusal() == nil)
        #expect(vaultError { _ = try fixture.vault.putBack(service: "s", account: "a") } == .notFound)
        // What the bin has kept long enough is given back by no copy.
        #expect(try fixture.has("b") && !fixture.has("c"))
    }

    @Test func theBinMakesRoomForItems() throws {
        let fixture = try VaultFixture()
        let vault = try open(fixture, Room(items: 12))
        for number in 0..<12 {
            try vault.set(.make("s", "\(number)", "v"))
            fixture.advance(milliseconds: 1)
            if number < 10 { try vault.putAside(service: "s", account: "\(number)") }
        }
        let epoch = vault.epoch
        try vault.set(.make("s", "new", "v"))
        // Those that were deleted first are gone, and a few more than needed.
        #expect(try vault.deletedItems().map(\.metadata.account) == ["8", "9"])
        #expect(try vault.epoch == epoch && vault.count == 3)
        for number in 20..<29 { try vault.set(.make("s", "\(number)", "v")) }
        #expect(try vault.deletedItems().isEmpty && vault.count == 12)
        #expect(vaultError { try vault.set(.make("s", "one more", "v")) } == .limitExceeded)
        _ = try vault.verify()
    }

    @Test func theBinMakesRoomInTheFile() throws {
        let fixture = try VaultFixture()
        let vault = try open(fixture, Room(file: 1 << 20))
        let value = String(repeating: "x", count: 300 << 10)
        for account in ["a", "b"] { try vault.set(.make("s", account, value)) }
        try vault.putAside(service: "s", account: "a")
        for account in ["c", "d"] { _ = vaultError { try vault.set(.make("s", account, value)) } }
        #expect(try vault.list().map(\.metadata.account).starts(with: ["b", "c"]))
        #expect(try vault.deletedItems().isEmpty)
        _ = try vault.verify()
    }

    /// A deletion is always possible, even if its record needs more room than before.
    @Test func aFullVaultCanBeEmptied() throws {
        let fixture = try VaultFixture()
        let vault = try open(fixture, Room(records: 600))
        var draft = try ItemDraft.make("s", "a", "v")
        // The longest text that fits, so that the time of the deletion takes another 256 bytes.
        for count in (0..<300).reversed() {
            draft.label = String(repeating: "x", count: count)
            if vaultError({ try vault.set(draft) }) == nil { break }
        }
        try vault.putAside(service: "s", account: "a")
        #expect(try vault.deletedItems().map(\.metadata.account) == ["a"])
        _ = try vault.verify()
    }

    @Test func aRecoveredFileHasNoBin() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        for account in ["a", "b"] { try vault.set(.make("s", account, "v")) }
        try vault.putAside(service: "s", account: "a")
        let code = try RecoveryCode.random()
        let key = try fixture.sealer.open(.recovery, vault.objects, record: fixture.record) {
            (request) throws(SigningRefusal) in try fixture.sign(request)
        }
        try vault.confirm(try vault.wrap(key, under: code))
        let folder = try TemporaryFolder()
        let copy = folder.path + "/old.vault"
        try Data(contentsOf: URL(fileURLWithPath: fixture.path)).write(to: URL(fileURLWithPath: copy))
        let old = try RecoverableVault(copying: copy, to: folder.path, code: code)
        #expect(old.items.map(\.summary.metadata.account) == ["b"])
    }
}
