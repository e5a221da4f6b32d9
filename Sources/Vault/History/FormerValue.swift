import Authorization
import Cryptography
import Item

/// One entry of the `former` table: a value that an item had before (docs/vault-format.md, "former").
struct FormerValue: Sendable, Equatable {
    /// When it was replaced, in milliseconds since 1970-01-01 UTC.
    let replaced: UInt64
    /// The item's metadata of that time, without label, comment and attributes.
    let sealedHeading: [UInt8]
    /// As it was when the value was the item's present one.
    let field: FieldRecord

    /// How many one item has at most.
    static let most = ItemLimits.formerValues.most * ItemLimits.fields

    /// The length in the file, in bytes.
    var size: Int { 16 + sealedHeading.count + field.encoded.count }

    /// The `records` column of one item.
    static func encode(_ values: [FormerValue]) -> [UInt8] {
        guard !values.isEmpty else { return [] }
        return values.reduce(into: [UInt8(values.count)]) { bytes, value in
            bytes += BigEndian.bytes(value.replaced) + LengthPrefixed.encode(value.sealedHeading, value.field.encoded)
        }
    }

    /// Reads as many as the row can have. Coffer once wrote more than ``most`` for one item, and the next value of that
    /// item cuts them.
    ///
    /// - Returns: at least one value. Their versions ascend.
    static func decode(_ bytes: [UInt8]) throws(VaultError) -> [FormerValue] {
        var reader = ByteReader(bytes, "a former value")
        let count = Int(try reader.integer(UInt8.self))
        guard count > 0 else { throw .damaged("an item has a row without a former value") }
        var values: [FormerValue] = []
        for _ in 0..<count {
            let replaced = try reader.integer(UInt64.self)
            let heading = try reader.prefixed()
            values.append(
                FormerValue(
                    replaced: replaced, sealedHeading: heading, field: try FieldRecord(decoding: reader.prefixed())))
        }
        try reader.end()
        guard zip(values, values.dropFirst()).allSatisfy({ $0.field.version < $1.field.version }) else {
            throw .damaged("an item's former values are out of order")
        }
        return values
    }
}

/// A former value that the tree has authenticated, as an item that can be read.
struct FormerItem: Sendable {
    let value: FormerValue
    /// The item as it was, with the metadata that has stayed.
    let summary: ItemSummary
    /// The name that the item had with this value. No later renaming changes it.
    let name: FormerName
    /// The field that had it.
    let fieldName: FieldName

    var version: UInt64 { value.field.version }

    /// It was sealed under the name of its time.
    var stored: ItemValue {
        ItemValue(
            item: summary, fieldName: fieldName, field: value.field,
            name: ItemName(service: name.service, account: name.account, itemClass: summary.metadata.kind),
            isFormer: true)
    }
}

/// The name that an item had with a former value.
public struct FormerName: Sendable {
    public let service: String
    public let account: String
}

/// The former values of all items.
struct AllFormer {
    var items: [(item: ItemID, values: [FormerItem])] = []
    /// The items whose row is damaged, and how.
    var damaged: [(item: ItemID, error: VaultError)] = []
}

extension Snapshot {
    /// The values that an item had before, the oldest first.
    func former(of item: ItemID) throws(VaultError) -> [FormerItem] {
        try former(of: item, rows.former(of: item) ?? [])
    }

    /// The former values of all items that have any.
    func allFormer() throws(VaultError) -> AllFormer {
        var all = AllFormer()
        for row in try rows.allFormer() {
            guard let item = ItemID(bytes: row.item) else { throw .damaged("a former value belongs to no item") }
            do throws(VaultError) {
                all.items.append((item: item, values: try former(of: item, row.records)))
            } catch {
                guard error.damagedItem != nil else { throw error }
                all.damaged.append((item: item, error: error))
            }
        }
        let ids = all.items.map(\.item) + all.damaged.map(\.item)
        guard Set(ids).count == ids.count else { throw .damaged("an item has its former values twice") }
        return all
    }

    /// - Parameter bytes: empty if there is no row, which the tree must confirm.
    private func former(of item: ItemID, _ bytes: [UInt8]) throws(VaultError) -> [FormerItem] {
        let (key, digest) = try cryptography { () throws(CryptographyError) -> ([UInt8], [UInt8]?) in
            (
                try TreeEntry.key(former: item),
                bytes.isEmpty ? nil : try TreeEntry.digest(former: item, records: bytes)
            )
        }
        guard try tree.digest(of: key) == digest else {
            let what = "an item's former values are missing, foreign or changed"
            guard let name = try itemIfPresent(item)?.summary.metadata.name else { throw .damaged(what) }
            throw .damaged(what, of: name, .row)
        }
        guard !bytes.isEmpty else { return [] }
        var items: [FormerItem] = []
        for value in try FormerValue.decode(bytes) {
            let field = value.field
            let metadata = try context(of: item).open(
                heading: value.sealedHeading, of: field.revision, key: keys.metadata)
            guard let fieldName = metadata.fields.first?.name, metadata.fields.count == 1 else {
                throw .damaged("a former value has no field")
            }
            items.append(
                FormerItem(
                    value: value,
                    summary: ItemSummary(
                        id: item, version: field.version, metadata: metadata, access: field.access,
                        revision: ItemRevision(digest: field.valueDigest)),
                    name: FormerName(service: metadata.service, account: metadata.account), fieldName: fieldName))
        }
        return items
    }
}

extension TreeEntry {
    static func key(former item: ItemID) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.tree.former".utf8), item.bytes))
    }

    static func digest(former item: ItemID, records: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.row.former".utf8), item.bytes, records))
    }
}
