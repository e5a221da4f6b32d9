import Authorization
import Cryptography
import Item

/// Brings a file of format 1 or 2 to format 3 (docs/vault-format.md, "Formats 1 and 2"). The vault is sealed then, and
/// nobody is there. So only metadata, index, tree and header are written; values and their slots stay as they are.
struct Migration {
    private let rows: Rows
    private let header: Header
    private let keys: VaultKeys
    private let tree: Tree
    /// Leads from a point to its item.
    private var points: [[UInt8]: ItemID] = [:]

    /// Runs within the transaction of `rows`.
    ///
    /// - Parameter header: the file's, which was found good.
    /// - Throws: `.damaged` if an item is not what the tree says; `.storage`.
    static func run(_ rows: Rows, _ header: Header, _ keys: VaultKeys) throws(VaultError) -> AuthenticatedHeader {
        var migration = Migration(rows, header, keys)
        return try migration.run()
    }

    private init(_ rows: Rows, _ header: Header, _ keys: VaultKeys) {
        self.rows = rows
        self.header = header
        self.keys = keys
        tree = Tree(rows, root: header.root)
    }

    private mutating func run() throws(VaultError) -> AuthenticatedHeader {
        try rows.addTables(to: header.format)
        var seen: Set<ItemID> = []
        for row in try rows.allItems() {
            guard let id = ItemID(bytes: row.id), seen.insert(id).inserted else { throw .damaged("an item has no id") }
            try bring(id, row.record)
        }
        guard seen.count == Int(header.itemCount) else { throw .damaged("an item is missing") }
        for row in try rows.allFormer() {
            guard let id = ItemID(bytes: row.item), seen.remove(id) != nil else {
                throw .damaged("a former value belongs to no item")
            }
            try bring(former: id, row.records)
        }
        for (point, item) in points { try index(point, item) }
        var next = header
        next.format = Header.newestFormat
        next.revision += 1
        next.root = try tree.flush()
        return try rows.put(next, keys: keys)
    }

    private mutating func bring(_ id: ItemID, _ bytes: [UInt8]) throws(VaultError) {
        let (key, digest) = try cryptography { () throws(CryptographyError) in
            (try TreeEntry.key(item: id), try TreeEntry.digest(item: id, record: bytes))
        }
        guard try tree.digest(of: key) == digest else { throw .damaged("an item is foreign or changed") }
        let earlier = try EarlierItem(decoding: bytes)
        let metadata = try earlier.metadata(of: id, in: header.vault, key: keys.metadata)
        let field = try earlier.field(of: id, isFormer: false)
        try note(field, of: id)
        let context = ItemContext(vault: header.vault, item: id)
        // Nobody knows when each part was changed: none later than the last of them.
        let stamps = ItemStamps(base: Stamp(clock: metadata.modified, origin: header.vault))
        let fields = ItemFields(sealedStamps: try context.seal(stamps, key: keys.metadata), fields: [[field]])
        let record = ItemRecord(
            version: field.version, access: field.access,
            sealedMetadata: try context.seal(metadata, access: field.access, key: keys.metadata),
            fieldsDigest: try cryptography { () throws(CryptographyError) in try fields.digest() }
        ).encoded
        try rows.put(fields: fields.encoded, of: id)
        try rows.put(record: record, of: id)
        try tree.set(
            key, cryptography { () throws(CryptographyError) in try TreeEntry.digest(item: id, record: record) })
    }

    private mutating func bring(former id: ItemID, _ bytes: [UInt8]) throws(VaultError) {
        let (key, digest) = try cryptography { () throws(CryptographyError) in
            (try TreeEntry.key(former: id), try TreeEntry.digest(former: id, records: bytes))
        }
        guard try tree.digest(of: key) == digest else {
            throw .damaged("an item's former values are missing, foreign or changed")
        }
        let context = ItemContext(vault: header.vault, item: id)
        var values: [FormerValue] = []
        for (replaced, earlier) in try EarlierItem.former(decoding: bytes) {
            let metadata = try earlier.metadata(of: id, in: header.vault, key: keys.metadata)
            let field = try earlier.field(of: id, isFormer: true)
            try note(field, of: id)
            let heading = try context.seal(heading: metadata, of: field.revision, key: keys.metadata)
            values.append(FormerValue(replaced: replaced, sealedHeading: heading, field: field))
        }
        let records = FormerValue.encode(values)
        try rows.put(former: records, of: id)
        try tree.set(
            key, cryptography { () throws(CryptographyError) in try TreeEntry.digest(former: id, records: records) })
    }

    private mutating func note(_ field: FieldRecord, of item: ItemID) throws(VaultError) {
        for point in field.points {
            guard points.updateValue(item, forKey: point) == nil else {
                throw .damaged("two of its values have the same point")
            }
        }
    }

    private func index(_ point: [UInt8], _ item: ItemID) throws(VaultError) {
        let (term, digest) = try cryptography { () throws(CryptographyError) in
            let term = try keys.term(point: point)
            return (term, try TreeEntry.digest(term: term, items: Posting.encode([item])))
        }
        try rows.put(posting: term, items: Posting.encode([item]))
        try tree.set(term, digest)
    }
}
