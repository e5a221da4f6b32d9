import Authorization
import Cryptography
import Item

/// An item's record, or that of a former value, as formats 1 and 2 have it (docs/vault-format.md, "Formats 1 and 2").
struct EarlierItem: Sendable {
    private let version: UInt64
    private let access: AccessControl
    private let sealedMetadata: [UInt8]
    private let valueDigest: [UInt8]
    private let slots: [Slot]

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "an item")
        version = try reader.integer()
        let access = try reader.prefixed(AccessControl.encodedCount)
        do throws(AccessControlError) { self.access = try AccessControl(decoding: access) } catch {
            throw .damaged("an item has an unknown access control")
        }
        sealedMetadata = try reader.prefixed()
        valueDigest = try reader.bytes(SHA256.count)
        let count = try reader.integer(UInt8.self)
        guard version > 0, count <= VaultLimits.slots else { throw .damaged("an item has impossible numbers") }
        var slots: [Slot] = []
        for _ in 0..<count { slots.append(try Slot(decoding: reader.prefixed())) }
        try reader.end()
        guard slots.map(\.shape) == Slot.shapes(for: self.access) else {
            throw .damaged("an item's slots are not those of its access control")
        }
        self.slots = slots
    }

    func metadata(of item: ItemID, in vault: VaultID, key: SecretBytes) throws(VaultError) -> Metadata {
        let bound = FormatContext(vault: vault).bind(
            "org.coffer.metadata", item.bytes, BigEndian.bytes(version), access.encoded)
        return try Metadata(text: ItemContext.open(sealedMetadata, bound, key, "an item's metadata"), from: 0)
    }

    /// The value as a field of format 3. What is sealed stays as it is, and where it is.
    ///
    /// - Parameter isFormer: whether it is one that the item had before.
    func field(of item: ItemID, isFormer: Bool) throws(VaultError) -> FieldRecord {
        let revision = try cryptography { () throws(CryptographyError) in try RevisionID.random() }
        return FieldRecord(
            version: version, revision: revision,
            valueKey: isFormer ? item.bytes + BigEndian.bytes(version) : item.bytes, format: 1, item: item,
            access: access, valueDigest: valueDigest, commitment: FieldRecord.noDigest, slots: slots)
    }

    /// The former values of one item.
    static func former(decoding bytes: [UInt8]) throws(VaultError) -> [(replaced: UInt64, value: EarlierItem)] {
        var reader = ByteReader(bytes, "a former value")
        let count = Int(try reader.integer(UInt8.self))
        guard (1...ItemLimits.formerValues.most).contains(count) else {
            throw .damaged("an item has no or too many former values")
        }
        var values: [(replaced: UInt64, value: EarlierItem)] = []
        for _ in 0..<count {
            values.append((try reader.integer(), try EarlierItem(decoding: reader.prefixed())))
        }
        try reader.end()
        guard zip(values, values.dropFirst()).allSatisfy({ $0.value.version < $1.value.version }) else {
            throw .damaged("an item's former values are out of order")
        }
        return values
    }
}
