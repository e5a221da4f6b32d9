import Cryptography
import Item

/// The vault in one state. It returns only what the tree authenticates, and reports nothing as absent without the tree's
/// proof. What was proved for this state before and is kept in memory is not read again.
class Snapshot {
    let rows: Rows
    let header: Header
    let tree: Tree
    let keys: VaultKeys
    let format: FormatContext
    /// nil: everything comes from the file.
    private let kept: KeptRows?

    init(_ rows: Rows, header: Header, keys: VaultKeys, kept: KeptRows? = nil) {
        self.rows = rows
        self.header = header
        self.keys = keys
        self.kept = kept
        tree = Tree(rows, root: header.root)
        format = FormatContext(vault: header.vault)
    }

    /// - Returns: an empty list if the tree proves that no item has this term.
    func items(of term: [UInt8]) throws(VaultError) -> [ItemID] {
        if let items = kept?.posting(term) { return items }
        let items = Posting.items(try posting(of: term))
        kept?.put(items, of: term)
        return items
    }

    /// The same, as the file has it.
    func posting(of term: [UInt8]) throws(VaultError) -> [UInt8] {
        let bytes = try rows.posting(term)
        let digest = try bytes.map { (bytes) throws(VaultError) in
            try cryptography { () throws(CryptographyError) in try TreeEntry.digest(term: term, items: bytes) }
        }
        guard try tree.digest(of: term) == digest else {
            throw .damaged("an index entry is missing, foreign or changed")
        }
        if let bytes { try Posting.check(bytes) }
        return bytes ?? []
    }

    /// An item that an index entry leads to.
    func item(_ id: ItemID) throws(VaultError) -> StoredItem {
        if let item = kept?.item(id) { return item }
        guard let bytes = try rows.record(of: id) else { throw .damaged("an item that the index names is missing") }
        return try checked(id, bytes)
    }

    /// - Returns: nil if the tree proves that there is no such item.
    func itemIfPresent(_ id: ItemID) throws(VaultError) -> StoredItem? {
        if let item = kept?.item(id) { return item }
        if let bytes = try rows.record(of: id) { return try checked(id, bytes) }
        let key = try cryptography { () throws(CryptographyError) in try TreeEntry.key(item: id) }
        guard try tree.digest(of: key) == nil else { throw .damaged("an item is missing") }
        return nil
    }

    /// Every item. Their number must match the header's.
    func allItems() throws(VaultError) -> [StoredItem] {
        var items: [StoredItem] = []
        for row in try rows.allItems() {
            guard let id = ItemID(bytes: row.id) else { throw .damaged("an item has no id") }
            items.append(try item(id, row.record))
        }
        // SQLite accepts a file that has one key twice. One item's row must not take the place of another's.
        guard items.count == Int(header.itemCount), Set(items.map(\.summary.id)).count == items.count else {
            throw .damaged("an item is missing")
        }
        return items
    }

    /// What lists tell of every item. Their number must match the header's.
    func allSummaries() throws(VaultError) -> [ItemSummary] {
        var items: [ItemSummary] = []
        items.reserveCapacity(Int(min(header.itemCount, 1 << 16)))
        if let kept, kept.nameCount == Int(header.itemCount) {
            // So many different items were verified, so these are all.
            for (id, name) in kept.names { items.append(try name.summary(of: id)) }
            return items
        }
        var ids: Set<ItemID> = []
        try rows.forEachItem { (id, record) throws(VaultError) in
            guard let id = ItemID(bytes: id) else { throw .damaged("an item has no id") }
            ids.insert(id)
            if let name = kept?.name(id) {
                items.append(try name.summary(of: id))
                return
            }
            let (item, text) = try opened(id, record)
            kept?.put(KeptName(item.summary, text: text), of: id)
            items.append(item.summary)
        }
        guard items.count == Int(header.itemCount), ids.count == items.count else {
            throw .damaged("an item is missing")
        }
        return items
    }

    /// An item, and what is kept of it from then on.
    private func checked(_ id: ItemID, _ bytes: [UInt8]) throws(VaultError) -> StoredItem {
        let (item, text) = try opened(id, bytes)
        kept?.put(item)
        kept?.put(KeptName(item.summary, text: text), of: id)
        return item
    }

    private func item(_ id: ItemID, _ bytes: [UInt8]) throws(VaultError) -> StoredItem { try opened(id, bytes).item }

    /// - Returns: the item, and its metadata as it was sealed.
    private func opened(_ id: ItemID, _ bytes: [UInt8]) throws(VaultError) -> (item: StoredItem, text: [UInt8]) {
        let (key, digest) = try cryptography { () throws(CryptographyError) in
            (try TreeEntry.key(item: id), try TreeEntry.digest(item: id, record: bytes))
        }
        guard try tree.digest(of: key) == digest else { throw .damaged("an item is foreign or changed") }
        let record = try ItemRecord(decoding: bytes)
        let context = ItemContext(format: format, item: id, version: record.version, access: record.access)
        let (metadata, text) = try context.open(metadataText: record.sealedMetadata, key: keys.metadata)
        let item = StoredItem(
            record: record,
            summary: ItemSummary(
                id: id, version: record.version, metadata: metadata, access: record.access,
                revision: ItemRevision(digest: digest)))
        return (item, text)
    }

    func item(service: String, account: String, kind: ItemKind) throws(VaultError) -> StoredItem? {
        let term = try cryptography { () throws(CryptographyError) in
            try keys.term(service: service, account: account, kind: kind)
        }
        let ids = try items(of: term)
        guard let id = ids.first else { return nil }
        let item = try item(id)
        guard ids.count == 1, item.summary.metadata.service.isSameText(as: service),
            item.summary.metadata.account.isSameText(as: account), item.summary.metadata.kind == kind
        else { throw .damaged("an index entry leads to another item") }
        return item
    }

    /// The item of this name, or all items of a service and kind where no account is named.
    func items(service: String, account: String?, kind: ItemKind) throws(VaultError) -> [StoredItem] {
        guard let account else { return try items(service: service, kind: kind) }
        return try item(service: service, account: account, kind: kind).map { [$0] } ?? []
    }

    /// All items of a service.
    ///
    /// - Parameter kind: nil for all kinds.
    func items(service: String, kind: ItemKind? = nil) throws(VaultError) -> [StoredItem] {
        let term = try cryptography { () throws(CryptographyError) in try keys.term(service: service) }
        var items: [StoredItem] = []
        for id in try self.items(of: term) {
            let item = try item(id)
            guard item.summary.metadata.service.isSameText(as: service) else {
                throw .damaged("an index entry leads to another item")
            }
            if kind == nil || item.summary.metadata.kind == kind { items.append(item) }
        }
        return items
    }

    /// The sealed value. Its digest must match the item's record.
    func sealedValue(of item: StoredItem) throws(VaultError) -> [UInt8] {
        let (id, version) = (item.summary.id, item.record.version)
        if let sealed = kept?.sealedValue(of: id, version: version) { return sealed }
        let sealed = try sealedValue(id.bytes, of: item.record)
        kept?.put(sealedValue: sealed, of: id, version: version)
        return sealed
    }

    /// - Parameter key: an item's, or that of a former value.
    func sealedValue(_ key: [UInt8], of record: ItemRecord) throws(VaultError) -> [UInt8] {
        guard let sealed = try rows.sealedValue(key) else { throw .damaged("an item's value is missing") }
        let digest = try cryptography { () throws(CryptographyError) in try SHA256.digest(sealed) }
        guard digest == record.valueDigest else { throw .damaged("an item's value is foreign or changed") }
        return sealed
    }
}

/// Translates cryptographic errors that the file's content cannot cause.
func cryptography<Value>(_ body: () throws(CryptographyError) -> Value) throws(VaultError) -> Value {
    do throws(CryptographyError) { return try body() } catch { throw VaultError(error) }
}

extension String {
    /// Compares byte for byte. Strings that Unicode calls equivalent are different names here, because their index
    /// entries differ.
    func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// An item from the file. The tree has authenticated its row, and its metadata is open.
struct StoredItem: Sendable {
    let record: ItemRecord
    let summary: ItemSummary

    func context(_ format: FormatContext) -> ItemContext {
        ItemContext(format: format, item: summary.id, version: record.version, access: record.access)
    }
}
