import Authorization
import Cryptography
import Item

/// The `content` column of an item's row in the table `field`: everything that a list does not need
/// (docs/vault-format.md, "field").
struct ItemFields: Sendable, Equatable {
    /// The stamps of the item's parts, sealed.
    let sealedStamps: [UInt8]
    /// For each field its values, in the order of the metadata. Several values of a field are a conflict of two
    /// machines, and the first is shown.
    let fields: [[FieldRecord]]

    var encoded: [UInt8] {
        var bytes = LengthPrefixed.encode(sealedStamps) + [UInt8(fields.count)]
        for values in fields {
            bytes.append(UInt8(values.count))
            bytes += LengthPrefixed.encode(values.map(\.encoded))
        }
        return bytes
    }

    init(sealedStamps: [UInt8], fields: [[FieldRecord]]) {
        self.sealedStamps = sealedStamps
        self.fields = fields
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "an item's fields")
        sealedStamps = try reader.prefixed()
        let count = Int(try reader.integer(UInt8.self))
        guard (1...ItemLimits.fields).contains(count) else { throw .damaged("an item has no or too many fields") }
        var fields: [[FieldRecord]] = []
        for _ in 0..<count {
            let values = Int(try reader.integer(UInt8.self))
            guard (1...VaultLimits.conflicts).contains(values) else {
                throw .damaged("a field has no or too many values")
            }
            var records: [FieldRecord] = []
            for _ in 0..<values { records.append(try FieldRecord(decoding: reader.prefixed())) }
            fields.append(records)
        }
        try reader.end()
        self.fields = fields
    }

    /// SHA-256 of the row, which the item's record has.
    func digest() throws(CryptographyError) -> [UInt8] { try SHA256.digest(encoded) }

    /// The points of all slots of all values.
    var points: [[UInt8]] { fields.flatMap { $0.flatMap(\.points) } }
}
