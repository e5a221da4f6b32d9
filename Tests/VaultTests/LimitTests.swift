import Cryptography
import Item
import Testing

@testable import Vault

/// Attacker 7: a user who fills their own vault fills neither the broker's memory, which all share, nor the disk.
struct LimitTests {
    /// With little room, because ten thousand items take time.
    private func open(_ fixture: VaultFixture, _ room: Room) throws -> OpenVault {
        try OpenVault(
            directory: fixture.folder.path, record: fixture.record, sealer: fixture.sealer, now: SystemClock.now,
            logLimit: AccessLogLimits.size, room: room)
    }

    @Test func thereAreSoManyItems() throws {
        let fixture = try VaultFixture()
        let vault = try open(fixture, Room(items: 3))
        for account in ["a", "b", "c"] { try vault.set(.make("s", account, "v")) }
        #expect(vaultError { try vault.set(.make("s", "d", "v")) } == .limitExceeded)
        #expect(try vault.count == 3)
        // A replaced item is not a further one, and a deleted one makes room.
        try vault.set(.make("s", "c", "another"))
        try vault.delete(vault.find(service: "s", account: "a"))
        try vault.set(.make("s", "d", "v"))
        _ = try vault.verify()
    }

    /// A caller that is about to store an item learns first that there is no room. What is in the bin gives its own.
    @Test func aFullVaultSaysSoBefore() throws {
        let fixture = try VaultFixture()
        let vault = try open(fixture, Room(items: 2))
        try vault.set(.make("s", "a", "v"))
        try vault.checkRoom()
        try vault.set(.make("s", "b", "v"))
        #expect(vaultError { try vault.checkRoom() } == .limitExceeded)
        try vault.putAside(service: "s", account: "b")
        try vault.checkRoom()
        try vault.set(.make("s", "c", "v"))
        #expect(vaultError { try vault.checkRoom() } == .limitExceeded)
    }

    /// What was deleted counts as gone, and the record of the next item as 4 KiB.
    @Test func thereIsRoomForOneMoreRecord() throws {
        let fixture = try VaultFixture()
        let vault = try open(fixture, Room())
        for account in ["a", "b"] { try vault.set(.make("s", account, "v")) }
        try vault.putAside(service: "s", account: "b")
        let record = try vault.read { (snapshot) throws(VaultError) in
            let item = try snapshot.item(service: "s", account: "a", kind: .genericPassword)
            return Int64(item?.record.encoded.count ?? 0)
        }
        try vault.close()
        for (records, code) in [(record + 4096, nil), (record + 4095, .limitExceeded)] as [(Int64, VaultError.Code?)] {
            let small = try open(fixture, Room(records: records))
            #expect(vaultError { try small.checkRoom() } == code)
            try small.close()
        }
    }

    @Test func theFileIsSoLarge() throws {
        let fixture = try VaultFixture()
        let vault = try open(fixture, Room(file: 1 << 20))
        let value = String(repeating: "x", count: 300 << 10)
        for account in ["a", "b"] { try vault.set(.make("s", account, value)) }
        #expect(
            vaultError { for account in ["c", "d"] { try vault.set(.make("s", account, value)) } } == .limitExceeded)
        // Freed pages of the file count as free.
        try vault.delete(vault.find(service: "s", account: "a"))
        try vault.set(.make("s", "e", value))
        _ = try vault.verify()
    }

    /// A user's large vault must not keep the broker busy: a check ends at its deadline, wherever it has come to.
    @Test func aCheckGivesUpWhereverItIs() throws {
        let vault = try VaultFixture().open()
        let accounts = ["a", "b", "c"]
        for account in accounts { for value in ["former", "present"] { try vault.set(.make("s", account, value)) } }
        var looks = 0
        let report = try vault.verify {
            looks += 1
            return false
        }
        #expect(report.items == 3 && report.formerValues == 3)
        // Before the tree, before each item and the former values of each, and before the index.
        #expect(looks == 2 * accounts.count + 2)
        for most in 0..<looks {
            var left = most
            let code = vaultError {
                _ = try vault.verify {
                    left -= 1
                    // It is late for this one look, so no later one stops the check instead.
                    return left == -1
                }
            }
            #expect(code == .limitExceeded, "after \(most) looks")
        }
        #expect(vaultError { _ = try vault.verify(until: .now - .seconds(1)) } == .limitExceeded)
        _ = try vault.verify(until: .now + .seconds(3600))
    }

    /// Room has the numbers of the documents.
    @Test func theUsualRoom() {
        let room = Room()
        #expect(room.items == 10_000 && room.records == 16 << 20 && room.file == 1 << 30)
        #expect(room.manyRecords.reason.contains("10000 items at most, and 16 MiB of names"))
    }

    @Test func namesAndAttributesHaveRoomForSoMuch() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let most = Dictionary(
            uniqueKeysWithValues: (0..<ItemLimits.attributes).map {
                ("\($0)", String(repeating: "x", count: ItemLimits.attribute - 2))
            })
        func fill(_ account: String) throws {
            var draft = try ItemDraft.make("s", account, "v")
            draft.attributes = most
            try vault.set(draft)
        }
        var stored = 0
        var refusal: VaultError?
        while refusal == nil, stored < 100 {
            do { try fill("\(stored)") } catch let error as VaultError {
                refusal = error
                continue
            }
            stored += 1
        }
        #expect(
            refusal?.code == .limitExceeded && refusal?.advice == "remove items that you do not need")
        #expect(stored > 60 && stored < 65, "\(stored)")
        // Nothing of it is there, and everything else is whole.
        #expect(try vault.list().count == stored && vault.count == stored)
        _ = try vault.verify()
        // A change that makes it smaller is allowed, and makes room.
        try vault.edit(
            vault.find(service: "s", account: "0"), changes: MetadataChanges(attributes: ["1": "", "2": "", "3": ""]))
        try vault.delete(vault.find(service: "s", account: "1"))
        try vault.set(.make("s", "small", "v"))
        #expect(throws: VaultError.self) {
            for account in ["again", "and again"] { try fill(account) }
        }
    }
}
