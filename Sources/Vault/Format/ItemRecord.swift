import Authorization
import Cryptography

/// The `record` column of an item (docs/vault-format.md, "item").
struct ItemRecord: Sendable, Equatable {
    let version: UInt64
    let access: AccessControl
    let sealedMetadata: [UInt8]
    /// SHA-256 of the sealed value.
    let valueDigest: [UInt8]
    let slots: [Slot]

    init(version: UInt64, access: AccessControl, sealedMetadata: [UInt8], valueDigest: [UInt8], slots: [Slot]) {
        self.version = version
        self.access = access
        self.sealedMetadata = sealedMetadata
        self.valueDigest = valueDigest
        self.slots = slots
    }

    var encoded: [UInt8] {
        BigEndian.bytes(version) + LengthPrefixed.encode(access.encoded, sealedMetadata) + valueDigest
            + [UInt8(slots.count)] + LengthPrefixed.encode(slots.map(\.encoded))
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "an item")
        version = try reader.integer()
        do throws(AccessControlError) {
            access = try AccessControl(decoding: Self.accessBytes(&reader))
        } catch {
            throw .damaged("an item has an unknown access control")
        }
        sealedMetadata = try reader.prefixed()
        valueDigest = try reader.bytes(SHA256.count)
        let count = try reader.integer(UInt8.self)
        guard version > 0, count <= Limits.slots else { throw .damaged("an item has impossible numbers") }
        var slots: [Slot] = []
        for _ in 0..<count { slots.append(try Slot(decoding: reader.prefixed())) }
        try reader.end()
        guard slots.map(\.shape) == Slot.shapes(for: access) else {
            throw .damaged("an item's slots are not those of its access control")
        }
        self.slots = slots
    }

    /// If the length cannot be read, returns bytes that are not an access control, so that the caller handles one
    /// error.
    private static func accessBytes(_ reader: inout ByteReader) -> [UInt8] {
        do throws(VaultError) { return try reader.prefixed(AccessControl.encodedCount) } catch { return [] }
    }

    /// The same values with other metadata.
    func replacing(sealedMetadata: [UInt8]) -> ItemRecord {
        ItemRecord(
            version: version, access: access, sealedMetadata: sealedMetadata, valueDigest: valueDigest, slots: slots)
    }
}
