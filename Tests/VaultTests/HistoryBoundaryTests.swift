import Authorization
import Cryptography
import Item
import Testing

@testable import Vault

/// Former values at their limits: to the millisecond, to the byte, and with what a restoring refuses.
struct HistoryBoundaryTests {
    private let fixture: VaultFixture
    private let vault: OpenVault
    private static let hour: UInt64 = 3_600_000
    private static let day = 24 * hour

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    @discardableResult
    private func set(_ value: String, _ account: String = "a") throws -> ItemSummary {
        try vault.set(.make("s", account, value)).item
    }

    /// The item as it was with its first value.
    private func first() throws -> ItemSummary {
        try vault.look(service: "s", account: "a", version: 1) { $0.item }
    }

    private func stored() throws -> Int { try vault.verify().formerValues }

    private func versions() throws -> [UInt64] {
        try vault.history(service: "s", account: "a").versions.map(\.version)
    }

    // Time

    /// The oldest value is looked at an hour after its end. With it goes what has ended since, to this very moment.
    @Test func whatHasEndedIsSweptAnHourLater() throws {
        for account in ["a", "b"] { try set("1", account) }
        try set("2", "a")
        fixture.advance(milliseconds: Self.hour)
        try set("2", "b")
        fixture.advance(milliseconds: 30 * Self.day - 1)
        try set("early", "c")
        #expect(try stored() == 2)
        fixture.advance(milliseconds: 1)
        try set("in time", "d")
        #expect(try stored() == 0)
    }

    /// A clock that is near zero is before every end.
    @Test func aClockThatIsWrongSweepsNothing() throws {
        try set("1")
        try set("2")
        fixture.clock.withLock { $0 = 0 }
        try set("of another item", "b")
        #expect(try stored() == 1)
    }

    /// Only what takes something away takes a step.
    @Test func aSettingThatDropsNothingTakesNoStep() throws {
        try set("1")
        try set("2")
        let epoch = vault.epoch
        try vault.put(HistorySetting(count: 2, days: 30))
        #expect(try versions() == [1])
        #expect(vault.epoch == epoch)
        // A larger setting does not even look for what has ended.
        fixture.advance(milliseconds: 30 * Self.day)
        try vault.put(HistorySetting(count: 3, days: 30))
        #expect(try stored() == 1)
        #expect(vault.epoch == epoch)
    }

    // Room

    /// The bytes of the records, and which former values stay in a vault with so much room for them.
    private func kept(_ room: Room) throws -> (bytes: Int64, versions: [UInt64]) {
        let fixture = try VaultFixture()
        fixture.room.withLock { $0 = room }
        let vault = try fixture.open()
        for value in ["1", "2"] { try vault.set(.make("s", "a", value)) }
        let bytes = try vault.database.read { (rows) throws(VaultError) in try rows.formerBytes() }
        return (bytes, try vault.history(service: "s", account: "a").versions.map(\.version))
    }

    @Test func theRecordsHaveRoomToTheByte() throws {
        let (bytes, versions) = try kept(Room())
        #expect(versions == [1] && bytes > 0)
        #expect(try kept(Room(former: bytes)).versions == [1])
        #expect(try kept(Room(former: bytes - 1)).versions.isEmpty)
    }

    @Test(arguments: [0, 1] as [Int64]) func theFileHasRoomToTheByte(tooFew: Int64) throws {
        try set("1")
        let id = try set("2").id
        let bytes = try vault.database.read { (rows) throws(VaultError) in try rows.fileBytes() }
        try vault.close()
        fixture.room.withLock { $0 = Room(file: bytes - tooFew) }
        let again = try fixture.open()
        let count = try again.write { (change) throws(VaultError) -> Int in
            try change.makeRoom()
            return try change.former(of: id).count
        }
        #expect(count == 1 - Int(tooFew))
    }

    /// The oldest goes first, and no more than makes room.
    @Test func noMoreGoesThanHasTo() throws {
        let value = String(repeating: "x", count: 200 << 10)
        for account in ["a", "b"] {
            for number in 1...2 {
                try set("\(number)" + value, account)
                fixture.advance(milliseconds: 10)
            }
        }
        let ids = try ["a", "b"].map { try vault.find(service: "s", account: $0).id }
        let bytes = try vault.database.read { (rows) throws(VaultError) in try rows.fileBytes() }
        try vault.close()
        fixture.room.withLock { $0 = Room(file: bytes - 1) }
        let again = try fixture.open()
        let counts = try again.write { (change) throws(VaultError) -> [Int] in
            try change.makeRoom()
            return [try change.former(of: ids[0]).count, try change.former(of: ids[1]).count]
        }
        #expect(counts == [0, 1])
        #expect(try again.verify().formerValues == 1)
    }

    /// So many former values of four that are equally long stay in a room, once it is too small for all.
    @Test(arguments: [(0, 3), (1, 2)] as [(Int64, Int)])
    func aSixteenthOfTheRecordsIsFreeAfterwards(fewer: Int64, stay: Int) throws {
        var ids: [ItemID] = []
        for account in ["a", "b", "c", "d"] {
            try set("1", account)
            ids.append(try set("2", account).id)
            fixture.advance(milliseconds: 10)
        }
        let bytes = try vault.database.read { (rows) throws(VaultError) in try rows.formerBytes() }
        try #require(bytes % 4 == 0)
        // Each row begins with a byte that counts its values. It is not counted as free.
        let wanted = bytes - (bytes / 4 - 1) - fewer
        let former = try #require((wanted..<bytes).first { $0 - $0 / 16 == wanted })
        try vault.close()
        fixture.room.withLock { $0 = Room(former: former) }
        let again = try fixture.open()
        let all = ids
        let left = try again.write { (change) throws(VaultError) -> Int in
            // As if the last of them had just been put there.
            change.hasPutFormer = true
            try change.makeRoom()
            var left = 0
            for id in all { left += try change.former(of: id).count }
            return left
        }
        #expect(left == stay)
    }

    @Test(arguments: [(0, [0, 1]), (1, [0, 0])] as [(Int64, [Int])])
    func aSixteenthOfTheFileIsFreeAfterwards(fewer: Int64, stay: [Int]) throws {
        let value = String(repeating: "x", count: 200 << 10)
        var ids: [ItemID] = []
        for account in ["a", "b"] {
            try set("1" + value, account)
            ids.append(try set("2" + value, account).id)
            fixture.advance(milliseconds: 10)
        }
        let (first, second) = (ids[0], ids[1])
        // What is in use without the oldest. The change is undone.
        var used: Int64 = 0
        let undone = vaultError {
            try vault.write { (change) throws(VaultError) -> Void in
                try change.rows.removeValue(change.former(of: first)[0].value.field.valueKey)
                used = try change.rows.fileBytes()
                throw .notFound
            }
        }
        #expect(undone == .notFound)
        let wanted = used - fewer
        let file = try #require((wanted..<2 * wanted).first { $0 - $0 / 16 == wanted })
        try vault.close()
        fixture.room.withLock { $0 = Room(file: file) }
        let again = try fixture.open()
        let left = try again.write { (change) throws(VaultError) -> [Int] in
            try change.makeRoom()
            return [try change.former(of: first).count, try change.former(of: second).count]
        }
        #expect(left == stay)
    }

    /// What stays as it is takes no more room, so nothing is measured for it.
    @Test func whatStaysIsNotPutAgain() throws {
        try set("1")
        let id = try set("2").id
        let (before, after) = try vault.write { (change) throws(VaultError) -> (Bool, Bool) in
            let present = try change.former(of: id)
            try change.put(former: present, of: id, replacing: present)
            let before = change.hasPutFormer
            try change.put(former: present, of: id, replacing: [])
            return (before, change.hasPutFormer)
        }
        #expect(!before && after)
        #expect(try versions() == [1])
    }

    // Restoring

    @Test func anApplicationPasswordThatNothingNeedsIsRefused() throws {
        try set("1")
        try set("2")
        let password = try StretchedPassword(secret("open"))
        let former = try first()
        #expect(
            vaultError { try vault.restore(former, value: secret("1"), applicationPassword: password) }
                == .invalidArgument)
        #expect(try fixture.value(vault, "s", "a") == Array("2".utf8))
        try vault.restore(former, value: secret("1"))
    }

    @Test func nothingComesBackToAnItemThatHasExpired() throws {
        try set("1")
        let item = try set("2")
        let former = try first()
        try vault.edit(item, changes: MetadataChanges(expires: fixture.clock.withLock { $0 } + 10))
        fixture.advance(milliseconds: 10)
        #expect(vaultError { try vault.restore(former, value: secret("1")) } == .notFound)
        let present = try vault.find(service: "s", account: "a", includingExpired: true)
        #expect(present.version == 2)
    }

    /// The other fields keep their application password, so what comes back must have the same.
    @Test func whatComesBackHasTheApplicationPasswordOfTheOtherFields() throws {
        let password = try StretchedPassword(secret("open"))
        let guarded = try AccessControl(requirements: [.applicationPassword])
        for (field, value) in [(.secret, "1"), ("pin", "1234"), (.secret, "2")] as [(FieldName, String)] {
            var draft = try ItemDraft.make("s", "a", value, guarded)
            draft.field = field
            draft.applicationPassword = password
            try vault.set(draft)
        }
        let former = try first()
        let other = try StretchedPassword(secret("open"))
        #expect(
            vaultError { try vault.restore(former, value: secret("1"), applicationPassword: other) }
                == .invalidArgument)
        let restored = try vault.restore(former, value: secret("1"), applicationPassword: password)
        #expect(restored.version == 4)
    }
}
