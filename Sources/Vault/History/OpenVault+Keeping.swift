import Authorization
import Cryptography
import Item

/// Why an item is stored again. It decides what stays of the values that the item had before.
enum Replacement: Sendable {
    /// It has another value. The value before becomes a former one.
    case value
    /// The same, and the value is that of this former version.
    case restored(UInt64)
    /// It has the same value, sealed for another access control or application password.
    case access
    /// It has the same value under a fresh key. No value stays under a former key.
    case key
}

/// Decides what stays of the values that items had before (docs/vault-format.md, "former").
extension OpenVault {
    /// Decides that for an item that is about to be stored again.
    ///
    /// - Parameters:
    ///   - old: the item before.
    ///   - access: the access control from now on. A value under a looser one does not stay.
    func keepFormer(
        of old: StoredItem, for replacement: Replacement, under access: AccessControl, _ change: Change
    ) throws(VaultError) {
        let (item, now) = (old.summary.id, now())
        let present = try change.former(of: item)
        var values = present
        switch replacement {
        case .value: values.append(try former(old, replaced: now))
        case .restored(let version):
            values.removeAll { $0.version == version }
            values.append(try former(old, replaced: now))
        case .access:
            // Nobody can tell whether the application password is the same as before.
            if access.requirements.contains(.applicationPassword) { values = [] }
            if values.count < present.count { try change.moveEpoch(.forFreeStep) }
        case .key: values = []
        }
        // What has expired is given to nobody, so it does not stay either.
        if old.summary.metadata.isExpired(at: now) { values = [] }
        values = kept(values.filter { !access.tightens($0.stored.record.access) }, by: change.next.history, at: now)
        if let newest = values.last, newest.version == old.record.version {
            try change.rows.moveValue(of: item, to: newest.value.valueKey(of: item))
        }
        try change.put(former: values, of: item, replacing: present)
    }

    /// The values of one item that may still be given out, the oldest first.
    func kept(_ values: [FormerItem], by setting: HistorySetting, at now: UInt64) -> [FormerItem] {
        let (fingers, isBound) = (record.biometrySet.map(Hex.encode), keybag.isBound)
        let live = values.filter { former in
            let item = former.stored.summary
            return setting.end(ofReplaced: former.value.replaced) > now && !item.metadata.isExpired(at: now)
                // The keys of these are gone.
                && (item.metadata.biometrySet == nil || item.metadata.biometrySet == fingers)
                && (item.access.accessibility != .passcodeSet || isBound)
        }
        return live.suffix(Int(setting.count))
    }

    /// An item's present value as a former one. Of its metadata, only what reading takes stays: what was removed from
    /// the item since must not come back.
    private func former(_ old: StoredItem, replaced: UInt64) throws(VaultError) -> FormerItem {
        let metadata = old.summary.metadata.bare(service: old.summary.metadata.service, old.summary.metadata.account)
        let record = old.record.replacing(
            sealedMetadata: try old.context(format).seal(metadata: metadata, key: keys.metadata))
        let summary = ItemSummary(
            id: old.summary.id, version: old.record.version, metadata: metadata, access: old.record.access,
            revision: ItemRevision(digest: record.valueDigest))
        return FormerItem(
            value: FormerValue(replaced: replaced, record: record),
            stored: StoredItem(record: record, summary: summary),
            name: FormerName(service: metadata.service, account: metadata.account))
    }
}

extension Metadata {
    /// The times, and the fingers that the value is bound to, under these names.
    func bare(service: String, _ account: String) -> Metadata {
        Metadata(
            service: service, account: account, kind: kind, created: created, modified: modified, valueSet: valueSet,
            expires: expires, biometrySet: biometrySet)
    }
}
