import Authorization
import Cryptography
import Item

/// One entry of the `former` table: a value that an item had before (docs/vault-format.md, "former").
struct FormerValue: Sendable, Equatable {
    /// When it was replaced, in milliseconds since 1970-01-01 UTC.
    let replaced: UInt64
    /// The item's record of that time. Its metadata lacks label, comment and attributes.
    let record: ItemRecord

    /// The key of the sealed value in the `value` table.
    func valueKey(of item: ItemID) -> [UInt8] { item.bytes + BigEndian.bytes(record.version) }

    /// The `records` column of one item.
    static func encode(_ values: [FormerValue]) -> [UInt8] {
        guard !values.isEmpty else { return [] }
        return values.reduce(into: [UInt8(values.count)]) { bytes, value in
            bytes += BigEndian.bytes(value.replaced) + LengthPrefixed.encode(value.record.encoded)
        }
    }

    /// - Returns: at least one value. Their versions ascend.
    static func decode(_ bytes: [UInt8]) throws(VaultError) -> [FormerValue] {
        var reader = ByteReader(bytes, "a former value")
        let count = Int(try reader.integer(UInt8.self))
        guard (1...ItemLimits.formerValues.most).contains(count) else {
            throw .damaged("an item has no or too many former values")
        }
        var values: [FormerValue] = []
        for _ in 0..<count {
            let replaced = try reader.integer(UInt64.self)
            values.append(FormerValue(replaced: replaced, record: try ItemRecord(decoding: reader.prefixed())))
        }
        try reader.end()
        guard zip(values, values.dropFirst()).allSatisfy({ $0.record.version < $1.record.version }) else {
            throw .damaged("an item's former values are out of order")
        }
        return values
    }
}

/// A former value that the tree has authenticated, as an item that can be read.
struct FormerItem: Sendable {
    let value: FormerValue
    /// The item as it was. The summary's metadata is that of the record.
    let stored: StoredItem
    /// The name that the item had with this value. No later renaming changes it.
    let name: FormerName

    var version: UInt64 { value.record.version }
}

/// The name that an item had with a former value.
public struct FormerName: Sendable {
    public let service: String
    public let account: String
}

extension Snapshot {
    /// The values that an item had before, the oldest first.
    func former(of item: ItemID) throws(VaultError) -> [FormerItem] {
        try former(of: item, rows.former(of: item) ?? [])
    }

    /// The former values of all items that have any.
    func allFormer() throws(VaultError) -> [(item: ItemID, values: [FormerItem])] {
        var all: [(item: ItemID, values: [FormerItem])] = []
        for row in try rows.allFormer() {
            guard let item = ItemID(bytes: row.item) else { throw .damaged("a former value belongs to no item") }
            all.append((item, try former(of: item, row.records)))
        }
        guard Set(all.map(\.item)).count == all.count else { throw .damaged("an item has its former values twice") }
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
            throw .damaged("an item's former values are missing, foreign or changed")
        }
        guard !bytes.isEmpty else { return [] }
        var items: [FormerItem] = []
        for value in try FormerValue.decode(bytes) {
            let record = value.record
            let context = ItemContext(format: format, item: item, version: record.version, access: record.access)
            let metadata = try context.open(metadata: record.sealedMetadata, key: keys.metadata)
            items.append(
                FormerItem(
                    value: value,
                    stored: StoredItem(
                        record: record,
                        summary: ItemSummary(
                            id: item, version: record.version, metadata: metadata, access: record.access,
                            revision: ItemRevision(digest: record.valueDigest))),
                    name: FormerName(service: metadata.service, account: metadata.account)))
        }
        return items
    }

    /// The sealed value of a former version. Its digest must match the record.
    func sealedValue(of former: FormerItem) throws(VaultError) -> [UInt8] {
        try sealedValue(former.value.valueKey(of: former.stored.summary.id), of: former.stored.record)
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
