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

    /// Values go until a sixteenth is free, and no longer.
    @Test("room is made up to a sixteenth of the file, or of the records", arguments: [true, false])
    func aSixteenthGetsFree(ofFile: Bool) throws {
        let value = String(repeating: "x", count: 12 << 10)
        for round in ["1", "2"] {
            let drafts = try (0..<60).map { number in try ItemDraft.make("s", "\(number)", round + value) }
            try vault.apply(drafts.map { .set($0, mode: .replace, ifRevision: nil) })
        }
        let (file, former) = try vault.database.read { (rows) throws(VaultError) in
            (try rows.fileBytes(), try rows.formerBytes())
        }
        try vault.close()
        let limit = (ofFile ? file : former) - 1
        fixture.room.withLock { $0 = ofFile ? Room(file: limit) : Room(former: limit) }
        let again = try fixture.open()
        let left = try again.write { (change) throws(VaultError) -> Int64 in
            change.hasPutFormer = true
            try change.makeRoom()
            return try ofFile ? change.rows.fileBytes() : change.rows.formerBytes()
        }
        // The last value that goes makes more room than is wanted, with what belongs to it. No two more values go.
        let last: Int64 = ofFile ? 48 << 10 : former / 30
        #expect(left <= limit - limit / 16 && left > limit - limit / 16 - last, "\(left) of \(limit)")
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

    /// A field that is removed leaves a former value, and nothing is stored beside it. It is measured all the same.
    @Test func aFieldThatIsRemovedMakesRoom() throws {
        func kept(_ room: Room) throws -> (bytes: Int64, versions: [UInt64]) {
            let fixture = try VaultFixture()
            fixture.room.withLock { $0 = room }
            let vault = try fixture.open()
            try vault.set(.make("s", "a", "1"))
            var draft = try ItemDraft.make("s", "a", "1234")
            draft.field = "pin"
            try vault.edit(vault.set(draft).item, removing: ["pin"])
            let bytes = try vault.database.read { (rows) throws(VaultError) in try rows.formerBytes() }
            return (bytes, try vault.history(service: "s", account: "a").versions.map(\.version))
        }
        let (bytes, versions) = try kept(Room())
        #expect(versions == [2])
        #expect(try kept(Room(former: bytes)).versions == [2])
        #expect(try kept(Room(former: bytes - 1)).versions.isEmpty)
    }

    // Number

    /// Fields of ever new names each leave a former value. The item keeps the newest, and can still be changed.
    @Test func fieldsThatComeAndGoLeaveSoManyValues() throws {
        try set("1")
        for round in 0..<11 {
            let fields = try (0..<15).map { number in try #require(FieldName("field-\(round)-\(number)")) }
            for field in fields {
                var draft = try ItemDraft.make("s", "a", "\(round)")
                draft.field = field
                try vault.set(draft)
            }
            let item = try vault.find(service: "s", account: "a")
            try vault.edit(item, removing: Set(fields))
        }
        #expect(try stored() == 160)
        // Each round takes fifteen versions for its values, and one for their removal. The five oldest have gone.
        let all = try versions()
        #expect(all.count == 160 && all.first == 1 + 10 * 16 + 15 && all.last == 1 + 6)
        // What is replaced last stays, also if it had been set before all others.
        fixture.advance(milliseconds: 1000)
        try set("2")
        #expect(try stored() == 160)
        #expect(try versions().last == 1)
        try vault.put(HistorySetting(count: 0, days: 30))
        #expect(try stored() == 0)
        try vault.delete(service: "s", account: "a")
    }

    /// Coffer once wrote more former values of an item than it could read again. They are read, and the next value cuts
    /// them.
    @Test func moreThanAnItemMayHaveAreReadAndCut() throws {
        let item = try set("1")
        let now = fixture.clock.withLock { $0 }
        try vault.write { (change) throws(VaultError) in
            let old = try change.item(item.id)
            let (fields, value) = (try change.fields(of: old), try change.value(of: old))
            let sealed = try change.sealedValue(of: value)
            var values: [FormerItem] = []
            for version in 2...UInt64(176) {
                let revision = try cryptography { () throws(CryptographyError) in try RevisionID.random() }
                let record = FieldRecord(
                    version: version, revision: revision, valueKey: revision.bytes, format: 3, item: item.id,
                    access: value.field.access, valueDigest: value.field.valueDigest,
                    commitment: value.field.commitment, slots: value.field.slots)
                let heading = try change.context(of: item.id).seal(
                    heading: item.metadata, of: revision, key: change.keys.metadata)
                values.append(
                    FormerItem(
                        value: FormerValue(replaced: now, sealedHeading: heading, field: record), summary: item,
                        name: FormerName(service: "s", account: "a"), fieldName: .secret))
                try change.put(sealedValue: sealed, record, of: item.id)
            }
            _ = try change.put(fields, item.metadata, item.access, version: 177, of: item.id, replacing: old)
            try change.put(former: values, of: item.id, replacing: [])
        }
        #expect(try stored() == 175)
        try set("2")
        #expect(try stored() == 3)
        #expect(try versions() == [176, 175, 174])
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
