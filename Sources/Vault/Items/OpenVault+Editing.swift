import Authorization
import Cryptography
import Item

/// Edits items' metadata and deletes items. No value is read, so nobody is asked.
extension OpenVault {
    /// - Throws: `.changed` if the item has another version by now; `.limitExceeded`, `.invalidArgument`, `.damaged`,
    ///   `.storage`.
    @discardableResult
    public func edit(_ item: ItemSummary, changes: MetadataChanges) throws(VaultError) -> ItemSummary {
        try write { (change) throws(VaultError) in
            let old = try change.present(item)
            try checkMayChange(old, change)
            return try replace(old, metadata: changed(old.summary.metadata, by: changes), change)
        }
    }

    /// Removes a field of an item. Its value becomes a former one, so nobody is asked.
    ///
    /// - Throws: `.changed` if the item has another version by now; `.noField`; `.invalidArgument` for the last field;
    ///   `.damaged`; `.storage`.
    @discardableResult
    package func edit(
        _ item: ItemSummary, removing fields: Set<FieldName>, changes: MetadataChanges = MetadataChanges()
    ) throws(VaultError) -> ItemSummary {
        try write { (change) throws(VaultError) in
            let old = try change.present(item)
            try checkMayChange(old, change)
            let before = old.summary.metadata
            guard fields.allSatisfy({ before.field($0) != nil }) else { throw .noField(of: before) }
            let metadata = try changed(before, by: changes).with(before.fields.filter { !fields.contains($0.name) })
            return try store([], metadata, old.record.access, password: nil, replacing: old, change)
        }
    }

    /// Checks that an item may get a name, without renaming it.
    ///
    /// - Throws: `.alreadyExists` if another item has it; `.limitExceeded`, `.invalidArgument`, `.damaged`, `.storage`.
    public func checkName(_ service: String, _ account: String, for item: ItemSummary) throws(VaultError) {
        let kind = item.metadata.kind
        try ItemLimits.check(name: service, account)
        let other = try read { (snapshot) throws(VaultError) in
            try snapshot.item(service: service, account: account, kind: kind)
        }
        guard other == nil || other?.summary.id == item.id else { throw Self.nameIsTaken }
    }

    private static var nameIsTaken: VaultError { VaultError(.alreadyExists, "an item of that name exists already") }

    /// Gives an item another name. Its kind stays the same. If the item needs a person, its value is sealed anew,
    /// because a person is asked by name.
    ///
    /// - Parameters:
    ///   - values: of all the item's fields, if it has requirements.
    ///   - applicationPassword: stretched with a fresh salt, if the item has one.
    /// - Throws: `.alreadyExists` if another item has the name; `.invalidArgument` if value or password is missing;
    ///   `.fingersChanged`; otherwise as `edit`.
    @discardableResult
    package func rename(
        _ item: ItemSummary, service: String, account: String, values: [FieldValue]? = nil,
        applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> ItemSummary {
        try ItemLimits.check(name: service, account)
        guard item.metadata.kind != .setting else { throw VaultError(.invalidArgument, "a setting keeps its name") }
        let isGated = !item.access.requirements.isEmpty
        if isGated { try checkAvailability(item.access, hasPassword: applicationPassword != nil) }
        return try write { (change) throws(VaultError) in
            let old = try change.present(item)
            let before = old.summary.metadata
            if let other = try change.item(service: service, account: account, kind: before.kind) {
                guard other.summary.id == item.id else { throw Self.nameIsTaken }
                return old.summary
            }
            try checkMayChange(old, change)
            let metadata = before.renamed(service, account, at: now())
            guard isGated else { return try replace(old, metadata: metadata, change) }
            guard let values else {
                throw VaultError(.invalidArgument, "the item can be renamed only with its values")
            }
            try checkFingers(before)
            return try store(
                values, metadata, old.record.access, password: applicationPassword, replacing: old, for: .name, change)
        }
    }

    /// Deletes the item of this name, expired or not.
    ///
    /// - Parameters:
    ///   - revision: the state that the item must be in; nil for any.
    ///   - protection: when an older copy of the file can no longer undo this.
    /// - Returns: the item as it was.
    /// - Throws: `.outdated` if the item is not in that state, or not there at all; `.notFound`; `.damaged`, `.storage`.
    @discardableResult
    public func delete(
        service: String, account: String, kind: ItemKind = .genericPassword, ifRevision revision: ItemRevision? = nil,
        protection: DeletionProtection = .soon
    ) throws(VaultError) -> ItemSummary {
        try write(protection: protection) { (change) throws(VaultError) in
            try checkMayChange(change.item(service: service, account: account, kind: kind), change)
            guard let item = try change.remove(service, account, kind, ifRevision: revision) else { throw .notFound }
            return item
        }
    }

    /// - Throws: `.changed` if the item has another version by now; `.damaged`, `.storage`.
    public func delete(_ item: ItemSummary) throws(VaultError) {
        try write { (change) throws(VaultError) in
            let old = try change.present(item)
            try checkMayChange(old, change)
            try change.remove(old)
        }
    }

    /// Gives an item other metadata. Its values stay as they are.
    func replace(_ old: StoredItem, metadata: Metadata, _ change: Change) throws(VaultError) -> ItemSummary {
        let id = old.summary.id
        let before = try change.fields(of: old)
        var stamps = try change.stamps(of: id, in: before)
        stamps.note(from: old.summary.metadata, to: metadata, at: now(), in: format.vault)
        let fields = ItemFields(
            sealedStamps: try change.context(of: id).seal(stamps, key: keys.metadata), fields: before.fields)
        return try change.put(
            fields, metadata, old.record.access, version: old.record.version, of: id, replacing: old)
    }
}

extension Change {
    /// Removes the item of this name, expired or not.
    ///
    /// - Returns: the item as it was; nil if there was none.
    /// - Throws: `.outdated` if a revision is given, and the item is in another state or missing.
    func remove(
        _ service: String, _ account: String, _ kind: ItemKind, ifRevision revision: ItemRevision?
    ) throws(VaultError) -> ItemSummary? {
        let old = try item(service: service, account: account, kind: kind)
        try old.check(revision)
        guard let old else { return nil }
        try remove(old)
        return old.summary
    }
}

/// Gives one item a fresh key.
extension OpenVault {
    /// Seals an item's values under fresh keys, readable in the same ways as before. Everything else about the item
    /// stays, including its times. Its former values are dropped.
    ///
    /// - Parameters:
    ///   - item: as it was when the values were read.
    ///   - values: of all its fields.
    ///   - applicationPassword: stretched with a fresh salt, if the item has one.
    /// - Throws: `.changed` if the item has another version by now; `.fingersChanged` if the item is bound to fingers
    ///   that are no longer enrolled; `.invalidArgument`; `.damaged`; `.storage`.
    @discardableResult
    package func rotate(
        _ item: ItemSummary, _ values: [FieldValue], applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> ItemSummary {
        try checkAvailability(item.access, hasPassword: applicationPassword != nil)
        return try write { (change) throws(VaultError) in
            let old = try change.present(item)
            let metadata = old.summary.metadata
            try checkFingers(metadata)
            let summary = try store(
                values, metadata, old.summary.access, password: applicationPassword, replacing: old, for: .key, change)
            // The earlier key must not come back with an older file.
            try change.moveEpoch()
            return summary
        }
    }

    /// An item may have been read without a finger. If it is sealed again, it must not become readable by fingers
    /// enrolled since, because nobody was asked for that.
    ///
    /// - Throws: `.fingersChanged`.
    func checkFingers(_ metadata: Metadata) throws(VaultError) {
        guard metadata.biometrySets.isSubset(of: record.biometrySet.map { [Hex.encode($0)] } ?? []) else {
            throw VaultError(
                .fingersChanged, "the enrolled fingers changed since this item was set",
                advice: "set it again with: coffer set")
        }
    }
}
