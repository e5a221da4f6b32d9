import Authorization
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
    /// The fields that were read last, by their digest. Who looks at an item asks for them several times.
    private var lastFields: (digest: [UInt8], fields: ItemFields)?

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

    /// Every item, also those in the bin. Their number must match the header's.
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

    /// The ids of every item, also of those in the bin, sorted. Their number must match the header's. Whether each of them
    /// is an item is known once it is read.
    func allIDs() throws(VaultError) -> [ItemID] {
        let ids = try rows.itemIDs().map { (bytes) throws(VaultError) in
            guard let id = ItemID(bytes: bytes) else { throw .damaged("an item has no id") }
            return id
        }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        guard ids.count == Int(header.itemCount), !zip(ids, ids.dropFirst()).contains(where: ==) else {
            throw .damaged("an item is missing")
        }
        return ids
    }

    /// What lists tell of every item that is not in the bin.
    func liveSummaries() throws(VaultError) -> [ItemSummary] {
        let all = try allSummaries()
        return hasBin ? all.filter { !$0.isDeleted } : all
    }

    /// The same of every item, also of those in the bin. Their number must match the header's.
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
        let text = try context(of: id).open(
            metadataText: record.sealedMetadata, access: record.access, key: keys.metadata)
        let item = StoredItem(
            record: record,
            summary: ItemSummary(
                id: id, version: record.version, metadata: try Metadata(text: text, from: 0), access: record.access,
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

    /// An item's fields. Their digest must match the item's record.
    func fields(of item: StoredItem) throws(VaultError) -> ItemFields {
        let id = item.summary.id
        if let fields = kept?.fields(of: item) { return fields }
        if let lastFields, lastFields.digest == item.record.fieldsDigest { return lastFields.fields }
        let name = item.summary.metadata.name
        guard let bytes = try rows.fields(of: id) else {
            throw .damaged("an item's fields are missing", of: name, .row)
        }
        let digest = try cryptography { () throws(CryptographyError) in try SHA256.digest(bytes) }
        guard digest == item.record.fieldsDigest else {
            throw .damaged("an item's fields are foreign or changed", of: name, .row)
        }
        let fields: ItemFields
        do throws(VaultError) { fields = try ItemFields(decoding: bytes) } catch {
            throw .damaged("an item's fields cannot be read", of: name, .row, cause: error)
        }
        guard fields.fields.allSatisfy({ $0.allSatisfy { $0.version <= item.record.version } }) else {
            throw .damaged("a field is newer than its item", of: name, .row)
        }
        kept?.put(fields, of: item)
        lastFields = (digest, fields)
        return fields
    }

    /// The present values of an item's fields, in the order of its metadata.
    func values(of item: StoredItem) throws(VaultError) -> [ItemValue] {
        let (names, records) = (item.summary.metadata.fields.map(\.name), try fields(of: item).fields)
        guard names.count == records.count else { throw .damaged("an item has other fields than its metadata says") }
        var values: [ItemValue] = []
        for (name, records) in zip(names, records) {
            guard let record = records.first, record.access == item.record.access else {
                throw .damaged("a field has another access control than its item")
            }
            values.append(
                ItemValue(item: item.summary, fieldName: name, field: record, name: item.summary.metadata.name))
        }
        return values
    }

    /// The present values of the fields that a caller wants.
    ///
    /// - Throws: `.noField` if the item has none of this name.
    func values(of item: StoredItem, _ choice: FieldChoice) throws(VaultError) -> [ItemValue] {
        let all = try values(of: item)
        guard case .one(let name) = choice else { return all }
        guard let value = all.first(where: { $0.fieldName == name }) else {
            throw .noField(of: item.summary.metadata)
        }
        return [value]
    }

    /// The present value of one field.
    ///
    /// - Throws: `.noField` if the item has none of this name.
    func value(of item: StoredItem, _ field: FieldName = .secret) throws(VaultError) -> ItemValue {
        try values(of: item, .one(field))[0]
    }

    func stamps(of item: ItemID, in fields: ItemFields) throws(VaultError) -> ItemStamps {
        try context(of: item).open(stamps: fields.sealedStamps, key: keys.metadata)
    }

    /// The sealed value. Its digest must match the field's record.
    func sealedValue(of value: ItemValue) throws(VaultError) -> [UInt8] {
        let (id, revision) = (value.item.id, value.field.revision)
        if let sealed = kept?.sealedValue(of: id, revision) { return sealed }
        guard let sealed = try rows.sealedValue(value.field.valueKey) else {
            throw .damaged("an item's value is missing", of: value.shownName, value.part)
        }
        let digest = try cryptography { () throws(CryptographyError) in try SHA256.digest(sealed) }
        guard digest == value.field.valueDigest else {
            throw .damaged("an item's value is foreign or changed", of: value.shownName, value.part)
        }
        kept?.put(sealedValue: sealed, of: id, revision)
        return sealed
    }

    /// Whether a value's sealed bytes are there and unchanged.
    func isWhole(_ value: ItemValue) throws(VaultError) -> Bool {
        do throws(VaultError) {
            _ = try sealedValue(of: value)
            return true
        } catch {
            guard error.damagedItem != nil else { throw error }
            return false
        }
    }

    /// Whether the rows of an item can be read that tell what has to go with it.
    func canDrop(_ item: StoredItem) throws(VaultError) -> Bool {
        do throws(VaultError) {
            _ = try fields(of: item)
            _ = try former(of: item.summary.id)
            return true
        } catch {
            guard error.damagedItem != nil else { throw error }
            return false
        }
    }

    func context(of item: ItemID) -> ItemContext { ItemContext(vault: header.vault, item: item) }
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

extension [String: String] {
    /// The same as bytes, so that two spellings of one text differ.
    var inBytes: [[UInt8]: [UInt8]] {
        reduce(into: [:]) { bytes, one in bytes[Array(one.key.utf8)] = Array(one.value.utf8) }
    }
}

/// An item from the file. The tree has authenticated its row, and its metadata is open.
struct StoredItem: Sendable {
    let record: ItemRecord
    let summary: ItemSummary
}

/// A value from the file: an item's present one, or one that it had before.
struct ItemValue: Sendable {
    /// The item, with the version, access control and times of this value.
    let item: ItemSummary
    let fieldName: FieldName
    let field: FieldRecord
    /// The name that the value was sealed under.
    let name: ItemName
    var isFormer = false

    /// What errors call damaged.
    var part: VaultError.DamagedPart { isFormer ? .formerValue : .value }

    /// The name that errors tell.
    var shownName: ItemName { item.metadata.name }

    func context(in vault: VaultID) -> FieldContext {
        FieldContext(
            vault: vault, item: field.item, field: fieldName, access: field.access, seal: field.seal, name: name,
            address: field.address)
    }
}

/// The fields of an item that a caller wants.
package enum FieldChoice: Sendable, Hashable {
    case one(FieldName)
    /// All of them, to seal them anew.
    case all
}

/// The opened value of one field.
package struct FieldValue: Sendable {
    package let name: FieldName
    package let value: SecretBytes

    package init(_ name: FieldName, _ value: SecretBytes) {
        self.name = name
        self.value = value
    }
}

extension VaultError {
    static func noField(of item: Metadata) -> VaultError {
        VaultError(.noField(fields: item.fields.map(\.name.text)), "the item has no such field")
    }
}

extension Metadata {
    var name: ItemName { ItemName(service: service, account: account, itemClass: kind) }
}
