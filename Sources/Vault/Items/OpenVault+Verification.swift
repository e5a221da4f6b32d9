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
            var points: [[UInt8]: ItemID] = [:]
            var values = 0
            for item in items {
                try Self.checkTime(isLate)
                if let deleted = item.summary.metadata.deleted, deleted < snapshot.header.oldestDeletion {
                    throw .damaged("an item of the bin is older than its header says")
                }
                _ = try snapshot.stamps(of: item.summary.id, in: snapshot.fields(of: item))
                for value in try snapshot.values(of: item) {
                    _ = try snapshot.sealedValue(of: value)
                    try Self.note(value.field, of: item.summary.id, in: &points)
                    values += 1
                }
            }
            let former = try snapshot.allFormer()
            try verify(former, of: items, &points, snapshot, unless: isLate)
            let formerValues = former.reduce(0) { $0 + $1.values.count }
            let postings = try snapshot.rows.allPostings()
            try Self.checkTime(isLate)
            try verifyIndex(postings, items, points, snapshot)
            // Each row was found in the tree. Equal counts now show that neither the tree nor a table has more entries.
            let logKey = try cryptography { () throws(CryptographyError) in try TreeEntry.logKey() }
            let anchors = entries.count { $0.key == logKey }
            let recovery = try snapshot.recovery() == nil ? 0 : 1
            let circle = try snapshot.circleDigests().count
            guard entries.count == items.count + former.count + postings.count + anchors + recovery + circle else {
                throw .damaged("a row is missing")
            }
            guard try snapshot.rows.count(of: "value") == Int64(values + formerValues) else {
                throw .damaged("a value belongs to no item")
            }
            guard try snapshot.rows.count(of: "field") == Int64(items.count), try snapshot.rows.count(of: "slot") == 0
            else { throw .damaged("a field belongs to no item") }
            guard try snapshot.rows.count(of: "node") == Int64(nodeCount) else {
                throw .damaged("its tree has a loose node")
            }
            return VerificationReport(
                items: items.count, formerValues: formerValues, postings: postings.count, nodes: nodeCount,
                revision: snapshot.header.revision,
                epoch: snapshot.header.epoch)
        }
    }

    private func verify(
        _ former: [(item: ItemID, values: [FormerItem])], of items: [StoredItem], _ points: inout [[UInt8]: ItemID],
        _ snapshot: Snapshot, unless isLate: () -> Bool
    ) throws(VaultError) {
        let versions = Dictionary(items.map { ($0.summary.id, $0.record.version) }) { first, _ in first }
        for (item, values) in former {
            try Self.checkTime(isLate)
            guard let present = versions[item], values.allSatisfy({ $0.version < present }) else {
                throw .damaged("a former value belongs to no item")
            }
            guard values.allSatisfy({ $0.value.replaced >= snapshot.header.oldestFormer }) else {
                throw .damaged("a former value is older than its header says")
            }
            for value in values {
                _ = try snapshot.sealedValue(of: value.stored)
                try Self.note(value.value.field, of: item, in: &points)
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
        _ postings: [(term: [UInt8], items: [UInt8])], _ items: [StoredItem], _ points: [[UInt8]: ItemID],
        _ snapshot: Snapshot
    ) throws(VaultError) {
        var expected: [[UInt8]: [ItemID]] = [:]
        for (point, item) in points {
            expected[try cryptography { () throws(CryptographyError) in try keys.term(point: point) }] = [item]
        }
        for item in items {
            let terms = try cryptography { () throws(CryptographyError) in
                try keys.terms(of: item.summary.metadata, item.summary.id)
            }
            for term in Set(terms) { expected[term, default: []].append(item.summary.id) }
        }
        guard postings.count == expected.count, Set(postings.map(\.term)).count == postings.count else {
            throw .damaged("its index has an entry too many or too few")
        }
        for posting in postings {
            let found = try snapshot.items(of: posting.term)
            guard let items = expected[posting.term], Posting.encode(items) == Posting.encode(found) else {
                throw .damaged("its index does not match its items")
            }
        }
    }
}
