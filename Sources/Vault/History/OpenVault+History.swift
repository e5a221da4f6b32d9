import Authorization
import Cryptography
import Item

/// A value that an item had before, as its owners may see it.
public struct FormerVersion: Sendable, Hashable {
    /// The version that the item had with this value.
    public let version: UInt64
    /// The field that had it.
    package let field: FieldName
    /// When the value was set, in milliseconds since 1970-01-01 UTC, like the other time.
    public let valueSet: UInt64
    /// What reading this value takes: the item's access control of that time.
    public let access: AccessControl
    /// From when on it is not given out any more. It may have to go earlier.
    public let until: UInt64
}

/// The values that items had before. The vault may be locked, except for reading one of them, which is done with
/// ``look(service:account:kind:includingExpired:version:_:)``.
extension OpenVault {
    /// How many former values the vault keeps.
    public var history: HistorySetting {
        get throws(VaultError) { try read { (snapshot) throws(VaultError) in snapshot.header.history } }
    }

    /// The former values of one item that can still be had, the newest first.
    ///
    /// - Throws: as ``find(service:account:kind:includingExpired:)``.
    public func history(
        service: String, account: String?, kind: ItemKind = .genericPassword
    ) throws(VaultError) -> (item: ItemSummary, versions: [FormerVersion]) {
        try read { (snapshot) throws(VaultError) in
            let item = try one(
                of: snapshot.items(service: service, account: account, kind: kind), includingExpired: false)
            let rule = formerRule(snapshot.header.history)
            let versions = try rule.kept(snapshot.former(of: item.summary.id)).map { former in
                FormerVersion(
                    version: former.version, field: former.fieldName, valueSet: former.summary.metadata.valueSet,
                    access: former.summary.access, until: rule.end(of: former))
            }
            return (item.summary, versions.reversed())
        }
    }

    /// Changes how many former values the vault keeps, and for how long it keeps what was deleted. What is too much
    /// then is dropped at once.
    ///
    /// - Parameter bin: nil: that stays as it is.
    /// - Throws: `.uncounted`, `.damaged`, `.storage`.
    public func put(_ setting: HistorySetting, _ bin: BinSetting? = nil) throws(VaultError) {
        try write { (change) throws(VaultError) in
            // It must not come back with an older file.
            if let bin, try put(bin, change) { try change.moveEpoch(.forFreeStep) }
            let isLess = setting.keepsLess(than: change.header.history)
            change.put(setting)
            guard isLess else { return }
            // They must not come back with an older file.
            if try change.keepFormer(where: formerRule(setting).kept) {
                try change.moveEpoch(.forFreeStep)
            }
        }
    }

    /// Makes a former value the present one of its field, of the kind that it had, and under the access control that it
    /// had. That is never looser than the present one. Everything else about the item stays, and the present value
    /// becomes a former one.
    ///
    /// - Parameters:
    ///   - former: as it was when the value was read.
    ///   - applicationPassword: if the former value has one: stretched with the salt of the item's other fields, or with
    ///     a fresh one if there are none.
    /// - Throws: `.changed` if there is no such former value by now; otherwise as `rotate`.
    @discardableResult
    public func restore(
        _ former: ItemSummary, value: SecretBytes, applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> ItemSummary {
        try checkAvailability(former.access, hasPassword: applicationPassword != nil)
        return try write { (change) throws(VaultError) in
            guard let old = try change.itemIfPresent(former.id), !old.summary.isDeleted,
                let name = try change.former(of: former.id).first(where: { $0.version == former.version })?.fieldName,
                let restored = former.metadata.field(name)
            else { throw .changed }
            try checkMayChange(old, change)
            try checkFingers(former.metadata)
            let now = now()
            guard !old.summary.metadata.isExpired(at: now) else { throw .expired(old.summary) }
            var metadata = old.summary.metadata
            metadata.modified = now
            if metadata.fields.contains(where: { $0.name != name }) {
                try checkKept(old, under: former.access, applicationPassword, change)
            }
            // The kind belongs to the value. Programs take no seed from a field that they know as a file.
            let field = ItemField(name, restored.kind, set: now)
            return try store(
                [FieldValue(name, value)], metadata.putting(field), former.access, password: applicationPassword,
                replacing: old, for: .restored(former.version), change)
        }
    }

    /// The former value of this version, as an item under its present name.
    ///
    /// - Throws: `.notFound` if there is none any more; `.damaged`; `.storage`.
    func former(_ version: UInt64, of item: StoredItem, _ snapshot: Snapshot) throws(VaultError) -> FormerItem {
        let values = try formerRule(snapshot.header.history).kept(snapshot.former(of: item.summary.id))
        guard let found = values.first(where: { $0.version == version }) else {
            throw Self.noVersion(version)
        }
        let (name, summary) = (item.summary.metadata, found.summary)
        return FormerItem(
            value: found.value,
            summary: ItemSummary(
                id: summary.id, version: summary.version,
                metadata: try found.bare(service: name.service, name.account), access: summary.access,
                revision: summary.revision),
            name: found.name, fieldName: found.fieldName)
    }

    static func noVersion(_ version: UInt64) -> VaultError {
        VaultError(
            .notFound, "the item has no former value of version \(version), or no longer",
            advice: "list what there is with: coffer history")
    }

    /// The rule for former values, as it is now.
    private func formerRule(_ setting: HistorySetting) -> FormerRule {
        FormerRule(
            setting: setting, now: now(), fingers: record.biometrySet.map(Hex.encode), isBound: keybag.isBound)
    }

    /// Keeps what may stay of an item that is about to be stored again.
    ///
    /// - Parameters:
    ///   - old: the item before.
    ///   - gone: the values that are replaced or removed.
    ///   - access: the access control from now on.
    func keepFormer(
        of old: StoredItem, _ gone: [ItemValue], for replacement: Replacement, under access: AccessControl,
        _ change: Change
    ) throws(VaultError) {
        let item = old.summary.id
        // Nobody goes back to a former value of a setting, and a slider would fill the vault with them.
        guard old.summary.metadata.kind != .setting else {
            for value in gone { try change.removeValue(value.field, of: item) }
            return
        }
        let rule = formerRule(change.next.history)
        let present = try change.former(of: item)
        var replaced: [FormerItem] = []
        if replacement.hasOtherValue {
            for value in gone {
                // Nobody could go back to a damaged value, and the complete check would find it while it is kept.
                guard try change.isWhole(value) else { continue }
                replaced.append(try former(value, replaced: rule.now, change))
            }
        }
        // If the clock may be wrong, none goes by its time. The newest of them was still there when it became one.
        let lasting = FormerRule(
            setting: rule.setting, now: present.map(\.value.replaced).max() ?? rule.now, fingers: rule.fingers,
            isBound: rule.isBound)
        let values = (mayDropFormer || rule.setting.days == 0 ? rule : lasting)
            .values(present, of: old.summary, adding: replaced, for: replacement, under: access)
        // They must not come back with an older file.
        if replacement == .access, rule.mayHaveOtherPassword(access), !present.isEmpty {
            try change.moveEpoch(.forFreeStep)
        }
        let kept = Set(values.map(\.version))
        for value in gone where !kept.contains(value.field.version) { try change.removeValue(value.field, of: item) }
        try change.put(former: values, of: item, replacing: present)
    }

    /// A present value as a former one. Of the item's metadata, only what reading takes stays: what was removed from
    /// the item since must not come back.
    private func former(
        _ value: ItemValue, replaced: UInt64, _ snapshot: Snapshot
    ) throws(VaultError) -> FormerItem {
        let (id, field, item) = (value.item.id, value.field, value.item.metadata)
        guard let described = item.field(value.fieldName) else { throw .noField(of: item) }
        let metadata = try item.bare(described, service: item.service, item.account)
        let heading = try snapshot.context(of: id).seal(heading: metadata, of: field.revision, key: keys.metadata)
        return FormerItem(
            value: FormerValue(replaced: replaced, sealedHeading: heading, field: field),
            summary: ItemSummary(
                id: id, version: field.version, metadata: metadata, access: field.access,
                revision: ItemRevision(digest: field.valueDigest)),
            name: FormerName(service: metadata.service, account: metadata.account), fieldName: value.fieldName)
    }
}

extension FormerItem {
    /// The metadata that has stayed, under another name.
    fileprivate func bare(service: String, _ account: String) throws(VaultError) -> Metadata {
        guard let field = summary.metadata.field(fieldName) else { throw .noField(of: summary.metadata) }
        return try summary.metadata.bare(field, service: service, account)
    }
}
