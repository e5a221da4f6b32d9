import Authorization
import Cryptography
import Item
import SQLite
import Testing

@testable import Vault

/// Attacker 5 and the rows of fields: what a record may say, and what the vault does with two values of one point.
struct FieldRecordTests {
    private let fixture: VaultFixture
    private let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    private func stored(_ access: AccessControl = .whenUnlocked) throws -> (fields: ItemFields, id: ItemID) {
        let id = try vault.set(.make("s", "a", "v", access)).item.id
        return try vault.read { (snapshot) throws(VaultError) in (try snapshot.fields(of: snapshot.item(id)), id) }
    }

    @Test func aRecordIsReadAsItWasWritten() throws {
        let (fields, id) = try stored(AccessControl(requirements: [.userPresence]))
        let field = fields.fields[0][0]
        #expect(try ItemFields(decoding: fields.encoded) == fields)
        #expect(try FieldRecord(decoding: field.encoded) == field)
        #expect(field.format == 3 && field.item == id && field.valueKey == field.revision.bytes && field.version == 1)
        #expect(field.points.count == 1)
    }

    /// One part of a record is another one. Each is refused before anything is opened.
    @Test func whatNoRecordHasIsRefused() throws {
        let field = try stored().fields.fields[0][0]
        func changed(
            version: UInt64? = nil, valueKey: [UInt8]? = nil, format: UInt16? = nil, commitment: [UInt8]? = nil,
            slots: [Slot]? = nil
        ) -> [UInt8] {
            FieldRecord(
                version: version ?? field.version, revision: field.revision, valueKey: valueKey ?? field.valueKey,
                format: format ?? field.format, item: field.item, access: field.access,
                valueDigest: field.valueDigest, commitment: commitment ?? field.commitment, slots: slots ?? field.slots
            ).encoded
        }
        func isRefused(_ bytes: [UInt8]) -> Bool { vaultError { _ = try FieldRecord(decoding: bytes) } == .damaged }
        #expect(!isRefused(changed()))
        let (item, number) = (field.item.bytes, BigEndian.bytes(field.version))
        #expect(isRefused(changed(version: 0)))
        for format: UInt16 in [0, 2, 4] { #expect(isRefused(changed(format: format)), "\(format)") }
        // A value lies where its format says, and nowhere else.
        #expect(isRefused(changed(valueKey: item)) && isRefused(changed(valueKey: [])))
        let none = FieldRecord.noDigest
        #expect(!isRefused(changed(valueKey: item, format: 1, commitment: none)))
        #expect(!isRefused(changed(valueKey: item + number, format: 1, commitment: none)))
        #expect(isRefused(changed(valueKey: item + BigEndian.bytes(UInt64(9)), format: 1, commitment: none)))
        #expect(isRefused(changed(format: 1, commitment: none)))
        #expect(isRefused(changed(valueKey: item, format: 1)))
        #expect(isRefused(changed(slots: [])) && isRefused(changed(slots: field.slots.reversed())))
        #expect(isRefused(field.encoded + [0]) && isRefused(Array(field.encoded.dropLast())))
        // No vault has slots of other machines yet.
        var others = field.encoded
        others[others.count - LengthPrefixed.encode(field.slots.map(\.encoded)).count - 2] ^= 1
        #expect(isRefused(others))
    }

    /// Slots that another machine has made come with the device that they are for. None of them is for recovery.
    @Test func slotsOfAnotherMachineNameTheDevice() throws {
        let field = try stored().fields.fields[0][0]
        let own = field.slots.filter { $0.shape.keyClass != .recovery }
        try #require(own.count + 1 == field.slots.count)
        let address = try SlotAddress(decoding: (0..<SlotAddress.count).map { UInt8($0) })
        #expect(address.encoded == (0..<SlotAddress.count).map { UInt8($0) })
        func record(_ slots: [Slot], _ address: SlotAddress?) -> FieldRecord {
            FieldRecord(
                version: field.version, revision: field.revision, valueKey: field.valueKey,
                format: FieldRecord.addressed, item: field.item, access: field.access,
                valueDigest: field.valueDigest, commitment: field.commitment, slots: slots, address: address)
        }
        let addressed = record(own, address)
        #expect(FieldRecord.addressed == 4)
        #expect(try FieldRecord(decoding: addressed.encoded) == addressed)
        #expect(vaultError { _ = try SlotAddress(decoding: address.encoded + [0]) } == .damaged)
        for bytes in [
            addressed.encoded + [0], record(own, nil).encoded, record(field.slots, address).encoded,
            record([], address).encoded,
        ] {
            #expect(vaultError { _ = try FieldRecord(decoding: bytes) } == .damaged)
        }
    }

    /// The third byte of a slot says whether its class stays on this device: 0 or 1, and nothing else.
    @Test func whatNoSlotHasIsRefused() throws {
        let slots = try stored(.whenUnlocked.thisDeviceOnly).fields.fields[0][0].slots
        let slot = try #require(slots.first)
        #expect(slot.encoded[2] == 1)
        #expect(try Slot(decoding: slot.encoded) == slot)
        var unknown = slot.encoded
        unknown[2] = 2
        for bytes in [unknown, slot.encoded + [0], Array(slot.encoded.dropLast())] {
            #expect(vaultError { _ = try Slot(decoding: bytes) } == .damaged)
        }
    }

    @Test func howManyFieldsAndValues() throws {
        let field = try stored().fields.fields[0][0]
        func isRefused(_ fields: [[FieldRecord]]) -> Bool {
            vaultError { _ = try ItemFields(decoding: ItemFields(sealedStamps: [1], fields: fields).encoded) }
                == .damaged
        }
        #expect(isRefused([]) && isRefused([[]]))
        #expect(!isRefused(Array(repeating: [field], count: ItemLimits.fields)))
        #expect(isRefused(Array(repeating: [field], count: ItemLimits.fields + 1)))
        #expect(!isRefused([Array(repeating: field, count: VaultLimits.conflicts)]))
        #expect(isRefused([Array(repeating: field, count: VaultLimits.conflicts + 1)]))
        let one = ItemFields(sealedStamps: [1], fields: [[field]]).encoded
        #expect(vaultError { _ = try ItemFields(decoding: one + [0]) } == .damaged)
    }

    /// Attacker 9 or another machine puts the point of a guarded value into another item: one signature would open
    /// both.
    @Test func noTwoValuesHaveOnePoint() throws {
        let (fields, id) = try stored(AccessControl(requirements: [.userPresence]))
        let field = fields.fields[0][0]
        let other = try vault.set(.make("other", "a", "w")).item.id
        let revision = try RevisionID.random()
        // Everything but the points is the other value's own.
        let copied = FieldRecord(
            version: 2, revision: revision, valueKey: revision.bytes, format: 3, item: other, access: field.access,
            valueDigest: field.valueDigest, commitment: field.commitment, slots: field.slots)
        let error = #expect(throws: VaultError.self) {
            try vault.write { (change) throws(VaultError) in
                try change.put(sealedValue: [1, 2, 3], copied, of: other)
            }
        }
        #expect(error?.code == .damaged && error?.description.contains("the same point") == true)
        // The point is free again once no value has it, present or former.
        let gated = try AccessControl(requirements: [.userPresence])
        try vault.set(.make("s", "a", "second", gated))
        let term = try vault.keys.term(point: field.points[0])
        func items() throws -> [ItemID] {
            try vault.read { (snapshot) throws(VaultError) in try snapshot.items(of: term) }
        }
        #expect(try items() == [id])
        try vault.delete(vault.find(service: "s", account: "a"))
        #expect(try items().isEmpty)
        _ = try vault.verify()
    }

    /// Coffer's own mistake: an item of a version below that of its value.
    @Test func aFieldThatIsNewerThanItsItemIsDamage() throws {
        _ = try stored()
        let (fields, id) = try stored()
        #expect(fields.fields[0][0].version == 2)
        try vault.write { (change) throws(VaultError) in
            let old = try change.item(id)
            _ = try change.put(
                fields, old.summary.metadata, old.record.access, version: 1, of: id, replacing: old)
        }
        #expect(vaultError { _ = try vault.readPlan(for: vault.find(service: "s", account: "a")) } == .damaged)
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// Attacker 5 puts an earlier row of fields back, with the value that belongs to it. The item's record names another
    /// one.
    @Test func anEarlierValueDoesNotComeBack() throws {
        let (fields, id) = try stored()
        let field = fields.fields[0][0]
        let sealed = try vault.read { (snapshot) throws(VaultError) in
            try snapshot.sealedValue(of: snapshot.value(of: snapshot.item(id)))
        }
        try vault.set(.make("s", "a", "another"))
        try vault.close()
        try fixture.tamper { database in
            try database.run(
                "INSERT OR REPLACE INTO value (id, sealed) VALUES (?, ?)", [.blob(field.valueKey), .blob(sealed)])
            try database.run(
                "UPDATE field SET content = ? WHERE item = ?", [.blob(fields.encoded), .blob(id.bytes)])
        }
        let again = try fixture.open()
        #expect(vaultError { _ = try fixture.value(again, "s", "a") } == .damaged)
        #expect(vaultError { _ = try again.verify() } == .damaged)
    }

    /// A slot was made for a key under which the value opens, too. The record commits to the other key.
    @Test func aKeyThatTheRecordDoesNotCommitToOpensNothing() throws {
        let (_, id) = try stored()
        let keys = try fixture.unlock(vault)
        let (value, sealed) = try vault.read { (snapshot) throws(VaultError) in
            let value = try snapshot.value(of: snapshot.item(id))
            return (value, try snapshot.sealedValue(of: value))
        }
        func opens(_ field: FieldRecord) -> VaultError.Code? {
            let changed = ItemValue(item: value.item, fieldName: .secret, field: field, name: value.name)
            return vaultError {
                _ = try vault.open(
                    changed, sealed, classKeys: { keys }, agreements: [:], applicationPassword: nil)
            }
        }
        let field = value.field
        #expect(opens(field) == nil)
        let other = FieldRecord(
            version: field.version, revision: field.revision, valueKey: field.valueKey, format: field.format,
            item: field.item, access: field.access, valueDigest: field.valueDigest,
            commitment: [UInt8](repeating: 7, count: 32), slots: field.slots)
        #expect(opens(other) == .damaged)
    }

    /// A person is asked by name. So a guarded value under another name, which nobody gave who could read it, opens to
    /// nobody.
    @Test func aGuardedValueOpensUnderNoOtherName() throws {
        let gated = try AccessControl(requirements: [.userPresence])
        let item = try vault.set(.make("bank", "me", "v", gated)).item
        // Somebody with the metadata key alone, such as a broker that was taken over, renames it.
        try vault.write { (change) throws(VaultError) in
            let old = try change.present(item)
            _ = try vault.replace(old, metadata: item.metadata.renamed("guest", "me", at: 1), change)
        }
        #expect(vaultError { _ = try fixture.value(vault, "guest", "me") } == .damaged)
        try vault.write { (change) throws(VaultError) in
            let old = try change.item(item.id)
            _ = try vault.replace(old, metadata: item.metadata, change)
        }
        #expect(try fixture.value(vault, "bank", "me") == Array("v".utf8))
        // Who has the value renames it.
        #expect(vaultError { try vault.rename(item, service: "guest", account: "me") } == .invalidArgument)
        let renamed = try vault.rename(
            vault.find(service: "bank", account: "me"), service: "guest", account: "me", value: secret("v"))
        #expect(renamed.version == 2 && renamed.metadata.service == "guest")
        #expect(try fixture.value(vault, "guest", "me") == Array("v".utf8))
        _ = try vault.verify()
    }

    /// What a change of each part does to the stamps, and that no stamp goes back with the clock.
    @Test func eachPartHasItsStamp() throws {
        func stamps() throws -> ItemStamps {
            try vault.read { (snapshot) throws(VaultError) in
                let item = try snapshot.items(service: "s")[0]
                return try snapshot.stamps(of: item.summary.id, in: snapshot.fields(of: item))
            }
        }
        var draft = try ItemDraft.make("s", "a", "v")
        draft.attributes = ["k": "1", "l": "1"]
        var item = try vault.set(draft).item
        let start = fixture.clock.withLock { $0 }
        #expect(try stamps() == ItemStamps(base: Stamp(clock: start, origin: fixture.record.vault)))
        fixture.advance(milliseconds: 10)
        item = try vault.edit(item, changes: MetadataChanges(label: "L", attributes: ["k": "2", "l": ""]))
        #expect(try stamps().own.keys.sorted { "\($0)" < "\($1)" } == [.attribute(Array("k".utf8)), .label])
        #expect(try stamps().stamp(of: .label).clock == start + 10)
        // The clock goes back, and the stamp does not.
        fixture.clock.withLock { $0 -= 1_000_000 }
        item = try vault.edit(item, changes: MetadataChanges(label: "M"))
        #expect(try stamps().stamp(of: .label).clock == start + 11)
        try vault.set(.make("s", "a", "w", .always))
        #expect(try stamps().stamp(of: .field(.secret)).clock == start + 1)
        #expect(try stamps().stamp(of: .access).clock == start + 1)
        #expect(try stamps().stamp(of: .name).clock == start)
    }
}
