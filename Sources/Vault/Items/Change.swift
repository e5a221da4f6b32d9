import Authorization
import Cryptography
import Item

/// One change of a vault, in one transaction. It writes the rows, then the tree, and last the header.
final class Change: Snapshot {
    /// The kinds of change that the epoch distinguishes.
    enum Kind {
        /// Items, keys or policies.
        case content
        /// Only the anchor of the log's end. It moves too often to be counted.
        case logEnd
        /// A run's first step.
        case firstStep
        /// The step that covers all changes before it.
        case advanceEpoch
    }

    /// Whether the change may take a step.
    enum Step {
        case taken
        /// The next advance of the epoch takes it.
        case left
        /// The counter must follow an earlier step first.
        case refused
    }

    var next: Header
    private let kind: Kind
    let step: Step
    let protection: DeletionProtection
    /// How long the change waits for the step that it has left to a later advance; nil if it has left none.
    var leftStep: CounterWait?
    /// What happens to items, in order, once the change is committed.
    private(set) var itemChanges: [CommittedChange] = []
    let room: Room
    /// The index entries that this change has touched and not written yet, by term. Many items of one change have a term in
    /// common, so they are not written each time.
    private var postings: [[UInt8]: [UInt8]] = [:]
    /// From so many touched index entries on, they are written. The change may put all items that a vault can have.
    private static let mostPostings = 2_048
    /// The size of all items' records together, in bytes, from the first time that it is needed. Measuring reads all of
    /// them, and one change can put thousands.
    private var recordBytes: Int64?
    /// Whether the file is known to have the table of a circle.
    var hasCircleTable = false
    /// Whether this change has written what the vault keeps of its circle.
    var hasChangedCircle = false
    /// Whether this change has added former values, so that they must be measured.
    var hasPutFormer = false
    /// What the settings of a service take, for those that this change has put or dropped.
    var settingUse: [[UInt8]: SettingUse] = [:]

    init(
        _ rows: Rows, header: Header, keys: VaultKeys, kind: Kind = .content, step: Step,
        protection: DeletionProtection = .soon, room: Room
    ) {
        next = header
        self.kind = kind
        self.step = step
        self.protection = protection
        self.room = room
        super.init(rows, header: header, keys: keys)
    }

    /// Adds an item, or replaces its record and its fields.
    func put(
        _ fields: ItemFields, _ metadata: Metadata, _ access: AccessControl, version: UInt64, of item: ItemID,
        replacing old: StoredItem?
    ) throws(VaultError) -> ItemSummary {
        // Every way to an item ends here, so no setting ever asks, and nothing becomes a setting or ceases to be one.
        try SettingRule.check(access, of: metadata.kind)
        try SettingRule.check(fieldsOf: metadata)
        guard old.map({ $0.summary.metadata.kind == metadata.kind }) ?? true else { throw SettingRule.keepsKind }
        let content = fields.encoded
        try rows.put(fields: content, of: item)
        let fieldsDigest = try cryptography { () throws(CryptographyError) in try SHA256.digest(content) }
        let record = ItemRecord(
            version: version, access: access,
            sealedMetadata: try context(of: item).seal(metadata, access: access, key: keys.metadata),
            fieldsDigest: fieldsDigest)
        let bytes = record.encoded
        try rows.put(record: bytes, of: item)
        recordBytes? += Int64(bytes.count - (old?.record.encoded.count ?? 0))
        let (key, digest) = try cryptography { () throws(CryptographyError) in
            (try TreeEntry.key(item: item), try TreeEntry.digest(item: item, record: bytes))
        }
        try tree.set(key, digest)
        try index(item, from: old?.summary.metadata, to: metadata)
        if old == nil { next.itemCount += 1 }
        if let deleted = metadata.deleted { next.oldestDeletion = min(next.oldestDeletion, deleted) }
        // A change that makes the file smaller is always allowed, and so is a deletion.
        if metadata.deleted == nil, bytes.count > old?.record.encoded.count ?? 0 {
            try makeRoomInBin(recordsFit)
            guard try recordsFit() else { throw room.manyRecords }
        }
        let summary = ItemSummary(
            id: item, version: record.version, metadata: metadata, access: record.access,
            revision: ItemRevision(digest: digest))
        if let change = CommittedChange(from: old?.summary, to: summary) { itemChanges.append(change) }
        return summary
    }

    /// Whether the items are not too many, and their records not too large.
    private func recordsFit() throws(VaultError) -> Bool {
        try room.fits(rows, items: UInt64(next.itemCount), recordBytes: measured)
    }

    /// The size of all items' records together, in bytes.
    func measured() throws(VaultError) -> Int64 {
        if let recordBytes { return recordBytes }
        let bytes = try rows.recordBytes()
        recordBytes = bytes
        return bytes
    }

    /// Adds a value. Its points lead to its item from now on.
    func put(sealedValue: [UInt8], _ field: FieldRecord, of item: ItemID) throws(VaultError) {
        for point in field.points {
            let term = try term(point)
            guard try touched(term).isEmpty else { throw .damaged("two of its values have the same point") }
            postings[term] = item.bytes
        }
        try rows.put(sealedValue: sealedValue, under: field.valueKey)
        try makeRoomInBin { () throws(VaultError) in try rows.fileBytes() <= room.file }
        try makeRoom()
        try room.checkFile(rows)
    }

    /// Whether a present or former value has this point.
    func hasPoint(_ point: [UInt8]) throws(VaultError) -> Bool { try !touched(term(point)).isEmpty }

    /// Removes a value, present or former.
    func removeValue(_ field: FieldRecord, of item: ItemID) throws(VaultError) {
        for point in field.points {
            let term = try term(point)
            guard try touched(term) == item.bytes else { throw .damaged("an index entry lacks an item") }
            postings[term] = []
        }
        try rows.removeValue(field.valueKey)
    }

    private func term(_ point: [UInt8]) throws(VaultError) -> [UInt8] {
        try cryptography { () throws(CryptographyError) in try keys.term(point: point) }
    }

    /// Removes an item for good.
    func remove(_ item: StoredItem) throws(VaultError) {
        try drop(item)
        try moveEpoch(.forFreeStep)
    }

    /// Removes an item. An older copy of the file can undo this until the epoch advances.
    func drop(_ item: StoredItem) throws(VaultError) {
        // What cannot be read is found before anything is written.
        let records = try fields(of: item).fields.joined()
        try dropFormer(of: item.summary.id)
        try giveSettingRoom(of: item)
        for field in records { try removeValue(field, of: item.summary.id) }
        try rows.remove(item.summary.id)
        recordBytes? -= Int64(item.record.encoded.count)
        try tree.set(cryptography { () throws(CryptographyError) in try TreeEntry.key(item: item.summary.id) }, nil)
        try index(item.summary.id, from: item.summary.metadata, to: nil)
        guard next.itemCount > 0 else { throw .damaged("it counts fewer items than it has") }
        next.itemCount -= 1
        // Nobody has seen an item of the bin since it was put there.
        if !item.summary.isDeleted { itemChanges.append(.deleted(item.summary)) }
    }

    /// Puts an object in place of an earlier one of its role, if there is one. It must not come back with an older file.
    func put(_ object: SealedObject, objectsDigest: [UInt8]) throws(VaultError) {
        try rows.replace(object)
        next.objectsDigest = objectsDigest
        try moveEpoch()
    }

    /// Puts a transition beside what is in use.
    func put(_ transition: Transition, objectsDigest: [UInt8]) throws(VaultError) {
        try rows.put(transition: transition.encoded)
        next.objectsDigest = objectsDigest
        try moveEpoch()
    }

    /// Replaces everything that was in use before with what the registry names.
    ///
    /// - Parameters:
    ///   - former: the objects that the file has.
    ///   - objects: the objects in use.
    func finish(
        _ transition: Transition, _ former: SealedObjects, _ objects: SealedObjects, objectsDigest: [UInt8],
        keybagDigest: [UInt8]
    ) throws(VaultError) {
        for role in Set(former.keys).union(objects.keys) where former[role] != objects[role] {
            if let object = objects[role] { try rows.replace(object) } else { try rows.removeObject(role) }
        }
        try rows.replace(keybag: transition.keybag)
        try rows.put(transition: [])
        next.objectsDigest = objectsDigest
        next.keybagDigest = keybagDigest
        try moveEpoch()
    }

    /// Writes the tree and the header. The transaction must commit right after it.
    func finish() throws(VaultError) -> AuthenticatedHeader {
        try writePostings()
        if hasChangedCircle { itemChanges.append(.sharing) }
        next.root = try tree.flush()
        next.revision += 1
        switch kind {
        case .content:
            if next.epoch == header.epoch {
                next.advanceDue = max(next.advanceDue, leftStep == nil ? .writes : .step)
            }
        case .logEnd, .advanceEpoch: break
        // The first step covers no earlier writes. A fork of those writes may be ahead by the same step.
        case .firstStep:
            guard step == .taken else { throw .uncounted }
            next.epoch += 1
        }
        return try rows.put(next, keys: keys)
    }

    /// The items of this term after what this change has done so far, in no order.
    override func items(of term: [UInt8]) throws(VaultError) -> [ItemID] {
        if let touched = postings[term] { return Posting.items(touched) }
        return try super.items(of: term)
    }

    /// Moves an item from its old terms to its new ones.
    private func index(_ item: ItemID, from old: Metadata?, to new: Metadata?) throws(VaultError) {
        let (oldTerms, newTerms) = try cryptography { () throws(CryptographyError) -> (Set<[UInt8]>, Set<[UInt8]>) in
            let old = try old.map { (metadata) throws(CryptographyError) in try keys.terms(of: metadata, item) }
            let new = try new.map { (metadata) throws(CryptographyError) in try keys.terms(of: metadata, item) }
            return (Set(old ?? []), Set(new ?? []))
        }
        for term in oldTerms.subtracting(newTerms) {
            var items = try touched(term)
            defer { postings[term] = items }
            guard Posting.remove(item, from: &items) else { throw .damaged("an index entry lacks an item") }
        }
        for term in newTerms.subtracting(oldTerms) {
            var items = try touched(term)
            defer { postings[term] = items }
            guard Posting.insert(item, into: &items) else {
                throw .damaged("an index entry has an item too many")
            }
        }
        if postings.count >= Self.mostPostings { try writePostings() }
    }

    private func writePostings() throws(VaultError) {
        for (term, items) in postings { try put(term, items) }
        postings = [:]
    }

    private func touched(_ term: [UInt8]) throws(VaultError) -> [UInt8] {
        if let touched = postings[term] { return touched }
        return try posting(of: term)
    }

    private func put(_ term: [UInt8], _ bytes: [UInt8]) throws(VaultError) {
        try rows.put(posting: term, items: bytes)
        let digest: [UInt8]? =
            bytes.isEmpty
            ? nil : try cryptography { () throws(CryptographyError) in try TreeEntry.digest(term: term, items: bytes) }
        try tree.set(term, digest)
    }
}

extension Rows {
    @discardableResult
    func put(_ header: Header, keys: VaultKeys) throws(VaultError) -> AuthenticatedHeader {
        let content = header.encoded
        let mac = try cryptography { () throws(CryptographyError) in
            try HMACSHA256.code(for: Header.macMessage(content), key: keys.integrity)
        }
        try put(header: content, mac: mac)
        return AuthenticatedHeader(content: content, mac: mac, header: header)
    }
}

/// What a committed change did to one item.
public indirect enum CommittedChange: Sendable, Hashable {
    case added(ItemSummary)
    /// Anything about the item changed: its value, its key, its access control or its metadata.
    case updated(ItemSummary, from: ItemSummary)
    case deleted(ItemSummary)
    /// The vault has given out or taken in something, or its circle has changed.
    case sharing
    /// The change failed, and nobody knows what of it is in the file.
    case unknown

    /// - Parameter old: nil for an item that is new.
    /// - Returns: nil if nobody can see the difference, because the item is in the bin.
    init?(from old: ItemSummary?, to new: ItemSummary) {
        switch (old, new.isDeleted) {
        case (nil, false): self = .added(new)
        case (let old?, false): self = old.isDeleted ? .added(new) : .updated(new, from: old)
        case (let old?, true) where !old.isDeleted: self = .deleted(old)
        case (_, true): return nil
        }
    }
}
