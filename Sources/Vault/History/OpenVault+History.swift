import Authorization
import Cryptography
import Item

/// A value that an item had before, as its owners may see it.
public struct FormerVersion: Sendable, Hashable {
    /// The version that the item had with this value.
    public let version: UInt64
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
            let setting = snapshot.header.history
            let versions = try kept(snapshot.former(of: item.summary.id), by: setting, at: now()).map { former in
                FormerVersion(
                    version: former.version, valueSet: former.stored.summary.metadata.valueSet,
                    access: former.stored.record.access,
                    until: min(
                        setting.end(ofReplaced: former.value.replaced), former.stored.summary.metadata.expires ?? .max))
            }
            return (item.summary, versions.reversed())
        }
    }

    /// Changes how many former values the vault keeps. Those that are too many then are dropped at once.
    ///
    /// - Throws: `.uncounted`, `.damaged`, `.storage`.
    public func put(_ setting: HistorySetting) throws(VaultError) {
        try write { (change) throws(VaultError) in
            let isLess = setting.keepsLess(than: change.header.history)
            change.put(setting)
            guard isLess else { return }
            let now = now()
            // They must not come back with an older file.
            if try change.keepFormer(where: { kept($0, by: setting, at: now) }) {
                try change.moveEpoch(.forFreeStep)
            }
        }
    }

    /// Makes a former value the item's present one, under the access control that it had. That is never looser than the
    /// present one. Everything else about the item stays, and the present value becomes a former one.
    ///
    /// - Parameters:
    ///   - former: as it was when the value was read.
    ///   - applicationPassword: stretched with a fresh salt, if the former value has one.
    /// - Throws: `.changed` if there is no such former value by now; otherwise as `rotate`.
    @discardableResult
    public func restore(
        _ former: ItemSummary, value: SecretBytes, applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> ItemSummary {
        try checkAvailability(former.access, hasPassword: applicationPassword != nil)
        return try write { (change) throws(VaultError) in
            guard let old = try change.itemIfPresent(former.id),
                try change.former(of: former.id).contains(where: { $0.version == former.version })
            else {
                throw VaultError(.changed, "the item was changed or deleted meanwhile", advice: "try again")
            }
            try checkFingers(former.metadata)
            let now = now()
            guard !old.summary.metadata.isExpired(at: now) else { throw .expired(old.summary) }
            let before = old.summary.metadata
            let metadata = Metadata(
                service: before.service, account: before.account, kind: before.kind, label: before.label,
                comment: before.comment,
                attributes: before.attributes, created: before.created, modified: now, valueSet: now,
                expires: before.expires)
            return try store(
                value, metadata, former.access, password: applicationPassword, replacing: old,
                for: .restored(former.version), change)
        }
    }

    /// The former value of this version, as an item under its present name.
    ///
    /// - Throws: `.notFound` if there is none any more; `.damaged`; `.storage`.
    func former(_ version: UInt64, of item: StoredItem, _ snapshot: Snapshot) throws(VaultError) -> FormerItem {
        let values = try kept(snapshot.former(of: item.summary.id), by: snapshot.header.history, at: now())
        guard let found = values.first(where: { $0.version == version }) else {
            throw VaultError(
                .notFound, "the item has no former value of version \(version), or no longer",
                advice: "list what there is with: coffer history")
        }
        let (name, summary) = (item.summary.metadata, found.stored.summary)
        return FormerItem(
            value: found.value,
            stored: StoredItem(
                record: found.stored.record,
                summary: ItemSummary(
                    id: summary.id, version: summary.version,
                    metadata: summary.metadata.bare(service: name.service, name.account), access: summary.access,
                    revision: summary.revision)),
            name: found.name)
    }
}
