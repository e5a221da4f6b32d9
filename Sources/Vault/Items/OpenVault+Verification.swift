import Cryptography

/// The counts from a complete check.
public struct VerificationReport: Sendable, Equatable {
    public let items: Int
    /// The former values of all items.
    public let formerValues: Int
    public let postings: Int
    public let nodes: Int
    public let revision: UInt64
    public let epoch: UInt64
}

extension OpenVault {
    /// Checks everything that can be checked without opening a value. It compares rows and tree in both directions, and
    /// the index with the metadata. It checks digests and MACs.
    ///
    /// - Parameter deadline: when to give up, because a large vault takes long.
    /// - Throws: `.damaged`, naming the fault; `.replaced`; `.storage`; `.limitExceeded` if the deadline has passed.
    public func verify(until deadline: ContinuousClock.Instant? = nil) throws(VaultError) -> VerificationReport {
        // A file that nobody opens again may be whole, which helps nobody.
        try checkFile()
        return try verify(unless: { deadline.map { ContinuousClock.now > $0 } ?? false })
    }

    /// - Parameter isLate: whether to give up. It is asked before each part that takes long.
    func verify(unless isLate: () -> Bool) throws(VaultError) -> VerificationReport {
        try readFile { (snapshot) throws(VaultError) in
            try snapshot.rows.checkSchema()
            try snapshot.rows.checkIntegrity()
            try verifyKeys(snapshot)
            try Self.checkTime(isLate)
            let (entries, nodeCount) = try snapshot.tree.all()
            let items = try snapshot.allItems()
            try snapshot.rows.checkFields()
            var found = Found()
            for item in items {
                try Self.checkTime(isLate)
                if let deleted = item.summary.metadata.deleted, deleted < snapshot.header.oldestDeletion {
                    throw .damaged("an item of the bin is older than its header says")
                }
                try Self.look(at: item, snapshot, &found)
            }
            let former = try snapshot.allFormer()
            try Self.verify(former, of: items, &found, snapshot, unless: isLate)
            let postings = try snapshot.rows.allPostings()
            try Self.checkTime(isLate)
            try verifyIndex(postings, items, found, snapshot)
            // Each row was found in the tree. Equal counts now show that neither the tree nor a table has more entries.
            let logKey = try cryptography { () throws(CryptographyError) in try TreeEntry.logKey() }
            let anchors = entries.count { $0.key == logKey }
            let recovery = try snapshot.recoveryRow() == nil ? 0 : 1
            let circle = try snapshot.circleDigests().count
            let ofItems = items.count + former.items.count + former.damaged.count + postings.count
            guard entries.count == ofItems + anchors + recovery + circle else { throw .damaged("a row is missing") }
            try found.checkTables(snapshot.rows, items: items.count)
            guard try snapshot.rows.count(of: "node") == Int64(nodeCount) else {
                throw .damaged("its tree has a loose node")
            }
            // Damage of the tree, a table or the index matters more than that of one item, so it is looked for first.
            if let damage = found.damage { throw damage }
            return VerificationReport(
                items: items.count, formerValues: found.formerValues, postings: postings.count, nodes: nodeCount,
                revision: snapshot.header.revision,
                epoch: snapshot.header.epoch)
        }
    }

    /// What is wrong with a value; nil if nothing is.
    private static func damage(of value: ItemValue, _ snapshot: Snapshot) throws(VaultError) -> VaultError? {
        do throws(VaultError) {
            _ = try snapshot.sealedValue(of: value)
            return nil
        } catch {
            guard error.damagedItem != nil else { throw error }
            return error
        }
    }

    /// Looks at an item's fields and present values.
    private static func look(at item: StoredItem, _ snapshot: Snapshot, _ found: inout Found) throws(VaultError) {
        let values: [ItemValue]
        do throws(VaultError) {
            _ = try snapshot.stamps(of: item.summary.id, in: snapshot.fields(of: item))
            values = try snapshot.values(of: item)
        } catch {
            guard error.damagedItem != nil else { throw error }
            found.note(error, unread: item.summary.id)
            return
        }
        for value in values {
            if let wrong = try Self.damage(of: value, snapshot) { found.note(wrong) }
            try note(value.field, of: item.summary.id, in: &found.points)
            found.values += 1
        }
    }

    private static func verify(
        _ former: AllFormer, of items: [StoredItem], _ found: inout Found, _ snapshot: Snapshot,
        unless isLate: () -> Bool
    ) throws(VaultError) {
        for (item, error) in former.damaged { found.note(error, unread: item) }
        let present = Dictionary(items.map { ($0.summary.id, $0.summary) }) { first, _ in first }
        for (item, values) in former.items {
            try Self.checkTime(isLate)
            guard let summary = present[item], values.allSatisfy({ $0.version < summary.version }) else {
                throw .damaged("a former value belongs to no item")
            }
            guard values.allSatisfy({ $0.value.replaced >= snapshot.header.oldestFormer }) else {
                throw .damaged("a former value is older than its header says")
            }
            for value in values {
                if let wrong = try Self.damage(of: value.stored, snapshot) {
                    // It is found by the name that the item has now.
                    found.note(.damaged(wrong.reason, of: summary.metadata.name, .formerValue))
                }
                try note(value.value.field, of: item, in: &found.points)
                found.formerValues += 1
            }
        }
    }

    /// - Throws: `.damaged` if another value has one of the points.
    private static func note(
        _ field: FieldRecord, of item: ItemID, in points: inout [[UInt8]: ItemID]
    ) throws(VaultError) {
        for point in field.points {
            guard points.updateValue(item, forKey: point) == nil else {
                throw .damaged("two of its values have the same point")
            }
        }
    }

    private static func checkTime(_ isLate: () -> Bool) throws(VaultError) {
        guard isLate() else { return }
        throw VaultError(.limitExceeded, "the vault is too large to be checked within the time limit")
    }

    private func verifyKeys(_ snapshot: Snapshot) throws(VaultError) {
        let sealedKeybag = try snapshot.rows.keybag()
        let objects = try snapshot.rows.objects()
        let transition = try snapshot.rows.transition()
        let (keybagDigest, objectsDigest) = try cryptography { () throws(CryptographyError) in
            (try SHA256.digest(sealedKeybag), try Header.digest(of: objects, transition: transition ?? []))
        }
        guard keybagDigest == snapshot.header.keybagDigest, objectsDigest == snapshot.header.objectsDigest else {
            throw .damaged("its keys are foreign or changed")
        }
        _ = try Keybag(decoding: sealedKeybag, keys: keys, format)
        if let transition { _ = try Keybag(decoding: Transition(decoding: transition).keybag, keys: keys, format) }
    }

    private func verifyIndex(
        _ postings: [(term: [UInt8], items: [UInt8])], _ items: [StoredItem], _ found: Found,
        _ snapshot: Snapshot
    ) throws(VaultError) {
        var expected: [[UInt8]: [ItemID]] = [:]
        for (point, item) in found.points {
            expected[try cryptography { () throws(CryptographyError) in try keys.term(point: point) }] = [item]
        }
        for item in items {
            let terms = try cryptography { () throws(CryptographyError) in
                try keys.terms(of: item.summary.metadata, item.summary.id)
            }
            for term in Set(terms) { expected[term, default: []].append(item.summary.id) }
        }
        let wrongCount = VaultError.damaged("its index has an entry too many or too few")
        guard found.unread.isEmpty ? postings.count == expected.count : postings.count >= expected.count,
            Set(postings.map(\.term)).count == postings.count
        else { throw wrongCount }
        var unexpected = 0
        for posting in postings {
            let named = try snapshot.items(of: posting.term)
            // The term of a point that a damaged row names.
            if expected[posting.term] == nil, named.count == 1, found.unread.contains(named[0]) {
                unexpected += 1
                continue
            }
            guard let items = expected[posting.term], Posting.encode(items) == Posting.encode(named) else {
                throw .damaged("its index does not match its items")
            }
        }
        guard postings.count == expected.count + unexpected else { throw wrongCount }
    }
}

/// What a complete check has found in the items.
private struct Found {
    /// The items that the points of values lead to.
    var points: [[UInt8]: ItemID] = [:]
    var values = 0
    var formerValues = 0
    /// The first damage that concerns one item alone.
    private(set) var damage: VaultError?
    /// The items with a damaged row. Nobody knows how many values and points that row names.
    private(set) var unread: Set<ItemID> = []

    mutating func note(_ error: VaultError, unread item: ItemID? = nil) {
        if damage == nil { damage = error }
        if let item { unread.insert(item) }
    }

    /// Checks that no table has a row that belongs to no item. Damage of an item may be that its row is missing.
    func checkTables(_ rows: Rows, items: Int) throws(VaultError) {
        let (stored, known) = (try rows.count(of: "value"), Int64(values + formerValues))
        guard stored == known || (damage != nil && (stored < known || !unread.isEmpty)) else {
            throw .damaged("a value belongs to no item")
        }
        let fields = try rows.count(of: "field")
        guard fields == Int64(items) || (!unread.isEmpty && fields < Int64(items)), try rows.count(of: "slot") == 0
        else { throw .damaged("a field belongs to no item") }
    }
}
