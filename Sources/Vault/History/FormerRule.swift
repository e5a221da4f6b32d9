import Authorization
import Item

/// Why an item is stored again. It decides what stays of the values that the item had before.
enum Replacement: Sendable, Equatable {
    /// It has another value. The value before becomes a former one.
    case value
    /// The same, and the value is that of this former version.
    case restored(UInt64)
    /// It has the same value, sealed for another access control or application password.
    case access
    /// It has the same value under another name, which a person is asked by.
    case name
    /// It has the same value under a fresh key. No value stays under a former key.
    case key

    /// Whether the value before becomes a former one.
    var hasOtherValue: Bool {
        switch self {
        case .value, .restored: true
        case .access, .name, .key: false
        }
    }
}

/// Decides what stays of the values that items had before (docs/vault-format.md, "former"). It reads and writes
/// nothing.
struct FormerRule: Sendable {
    /// What the vault's owner has chosen.
    let setting: HistorySetting
    /// Milliseconds since 1970-01-01 UTC.
    let now: UInt64
    /// The fingers that the vault has a key for, as items name them; nil if it has none.
    let fingers: String?
    /// Whether the vault has the key of class `passcode-set`.
    let isBound: Bool

    /// What stays when an item is stored again.
    ///
    /// - Parameters:
    ///   - present: what the item has now.
    ///   - old: the item before.
    ///   - replaced: as former ones, the values of the fields that get another value or are removed.
    ///   - access: the access control from now on. A value under a looser one does not stay.
    func values(
        _ present: [FormerItem], of old: ItemSummary, adding replaced: [FormerItem], for replacement: Replacement,
        under access: AccessControl
    ) -> [FormerItem] {
        var values = present
        switch replacement {
        case .value, .name: break
        case .restored(let version): values.removeAll { $0.version == version }
        case .access: if mayHaveOtherPassword(access) { values = [] }
        case .key: values = []
        }
        values = (values + replaced).sorted { $0.version < $1.version }
        // What has expired is given to nobody, so it does not stay either.
        if old.metadata.isExpired(at: now) { values = [] }
        return kept(values.filter { !access.tightens($0.summary.access) })
    }

    /// Nobody can tell whether an application password is the same as before.
    func mayHaveOtherPassword(_ access: AccessControl) -> Bool {
        access.requirements.contains(.applicationPassword)
    }

    /// The values of one item that may still be given out, the oldest first.
    func kept(_ values: [FormerItem]) -> [FormerItem] {
        let live = values.filter { former in
            let item = former.summary
            return setting.end(ofReplaced: former.value.replaced) > now && !item.metadata.isExpired(at: now)
                // The keys of these are gone.
                && item.metadata.biometrySets.isSubset(of: fingers.map { [$0] } ?? [])
                && (item.access.accessibility != .passcodeSet || isBound)
        }
        // So many of each field.
        var counts: [FieldName: Int] = [:]
        let kept = live.reversed().filter { former in
            counts[former.fieldName, default: 0] += 1
            return counts[former.fieldName, default: 0] <= Int(setting.count)
        }
        guard kept.count > FormerValue.most else { return kept.reversed() }
        // Fields come and go. Of all of them together, those stay that were replaced last.
        let newest = kept.sorted { ($1.value.replaced, $1.version) < ($0.value.replaced, $0.version) }
        return newest.prefix(FormerValue.most).sorted { $0.version < $1.version }
    }

    /// When a value stops being given out, in milliseconds since 1970-01-01 UTC.
    func end(of former: FormerItem) -> UInt64 {
        min(setting.end(ofReplaced: former.value.replaced), former.summary.metadata.expires ?? .max)
    }
}

extension Metadata {
    /// The times, and the fingers that the value of one field is bound to, under these names.
    func bare(_ field: ItemField, service: String, _ account: String) throws(VaultError) -> Metadata {
        try Metadata(
            service: service, account: account, kind: kind, created: created, modified: modified, valueSet: field.set,
            expires: expires
        ).with([field])
    }
}
