import Authorization
import Cryptography
import Item

/// One value of one field, but for the sealed value itself (docs/vault-format.md, "field").
struct FieldRecord: Sendable, Equatable {
    /// What stands for a digest where there is nothing.
    static let noDigest = [UInt8](repeating: 0, count: SHA256.count)

    /// Which of the item's values it is. The item's own version was this when the value was sealed.
    let version: UInt64
    let revision: RevisionID
    /// The key of the sealed value in the table `value`.
    let valueKey: [UInt8]
    /// 1 for what formats 1 and 2 have sealed, otherwise 3. 4 is as 3, with slots that another machine has made.
    let format: UInt16
    /// The item that the value was sealed for.
    let item: ItemID
    let access: AccessControl
    /// SHA-256 of the sealed value.
    let valueDigest: [UInt8]
    let commitment: [UInt8]
    /// SHA-256 of the slots for other machines; ``noDigest`` without any.
    let otherSlotsDigest: [UInt8]
    let slots: [Slot]
    /// The device that another machine has made the slots for; nil if this vault has made them.
    let address: SlotAddress?

    init(
        version: UInt64, revision: RevisionID, valueKey: [UInt8], format: UInt16, item: ItemID, access: AccessControl,
        valueDigest: [UInt8], commitment: [UInt8], slots: [Slot], address: SlotAddress? = nil
    ) {
        self.version = version
        self.revision = revision
        self.valueKey = valueKey
        self.format = format
        self.item = item
        self.access = access
        self.valueDigest = valueDigest
        self.commitment = commitment
        otherSlotsDigest = Self.noDigest
        self.slots = slots
        self.address = address
    }

    /// The format of a value with slots that another machine has made.
    static let addressed: UInt16 = 4

    /// The slots that a value must have. Nobody makes one for the recovery code of another machine.
    static func shapes(for access: AccessControl, isAddressed: Bool) -> [Slot.Shape] {
        Slot.shapes(for: access).filter { !isAddressed || $0.keyClass != .recovery }
    }

    var seal: FieldSeal { format == 1 ? .first(version: version) : .third(revision) }

    var encoded: [UInt8] {
        let head = BigEndian.bytes(version) + revision.bytes + LengthPrefixed.encode(valueKey)
        let sealing = BigEndian.bytes(format) + item.bytes + access.encoded
        return head + sealing + valueDigest + commitment + otherSlotsDigest + [UInt8(slots.count)]
            + LengthPrefixed.encode(slots.map(\.encoded)) + (address?.encoded ?? [])
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "a field")
        version = try reader.integer()
        guard let revision = RevisionID(bytes: try reader.bytes(RevisionID.count)) else {
            throw .damaged("a field has no revision")
        }
        self.revision = revision
        valueKey = try reader.prefixed()
        format = try reader.integer()
        guard version > 0, [1, 3, Self.addressed].contains(format) else {
            throw .damaged("a field has impossible numbers")
        }
        guard let item = ItemID(bytes: try reader.bytes(ItemID.count)) else { throw .damaged("a field has no item") }
        self.item = item
        guard Self.isKey(valueKey, of: revision, item, version, format) else {
            throw .damaged("a field's value has an unknown place")
        }
        let access = try reader.bytes(AccessControl.encodedCount)
        do throws(AccessControlError) { self.access = try AccessControl(decoding: access) } catch {
            throw .damaged("a field has an unknown access control")
        }
        valueDigest = try reader.bytes(SHA256.count)
        commitment = try reader.bytes(HMACSHA256.count)
        otherSlotsDigest = try reader.bytes(SHA256.count)
        guard format != 1 || commitment == Self.noDigest, otherSlotsDigest == Self.noDigest else {
            throw .damaged("a field has something that its format has not")
        }
        let count = try reader.integer(UInt8.self)
        guard count <= VaultLimits.slots else { throw .damaged("a field has impossible numbers") }
        var slots: [Slot] = []
        for _ in 0..<count { slots.append(try Slot(decoding: reader.prefixed())) }
        address = format == Self.addressed ? try SlotAddress(decoding: reader.bytes(SlotAddress.count)) : nil
        try reader.end()
        guard slots.map(\.shape) == Self.shapes(for: self.access, isAddressed: address != nil) else {
            throw .damaged("a field's slots are not those of its access control")
        }
        self.slots = slots
    }

    /// Whether a value may lie under this key. A value of format 1 or 2 stays where it lay.
    private static func isKey(
        _ key: [UInt8], of revision: RevisionID, _ item: ItemID, _ version: UInt64, _ format: UInt16
    ) -> Bool {
        format != 1 ? key == revision.bytes : key == item.bytes || key == item.bytes + BigEndian.bytes(version)
    }

    /// The P-256 points of its slots. No two values of a vault have the same.
    var points: [[UInt8]] { slots.flatMap(\.points) }

    /// - Throws: `.damaged` if this is not the key that the record commits to.
    func check(_ itemKey: SecretBytes, _ context: FieldContext) throws(VaultError) {
        let expected = try cryptography { () throws(CryptographyError) in try context.commitment(to: itemKey) }
        guard ConstantTime.equal(expected, commitment) else {
            throw .damaged("an item's key is not the one that its value was sealed under")
        }
    }
}
