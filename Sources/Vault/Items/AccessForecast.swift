import Item

/// The access control that each of several changes will find, if those before it are made. A set keeps what it does
/// not name of the access control that it finds, so a caller must judge what comes of that.
struct AccessForecast {
    /// Bytes, because two different names can be equal in Unicode.
    private struct Name: Hashable {
        let service: [UInt8]
        let account: [UInt8]
        let kind: ItemKind

        init(_ service: String, _ account: String, _ kind: ItemKind) {
            self.service = Array(service.utf8)
            self.account = Array(account.utf8)
            self.kind = kind
        }
    }

    /// What the changes so far have set; nil for an item that they have deleted.
    private var changed: [Name: AccessControl?] = [:]
    /// By service: the kinds whose items the changes so far have all deleted.
    private var emptied: [[UInt8]: Set<ItemKind>] = [:]

    /// - Returns: the access control that a set leaves; nil for another change.
    mutating func make(_ change: PlannedChange, in snapshot: Snapshot) throws(VaultError) -> AccessControl? {
        switch change {
        case .set(let draft, _, _):
            let name = Name(draft.service, draft.account, draft.kind)
            let access = try draft.access(over: present(name, draft, snapshot))
            changed[name] = .some(access)
            return access
        case .delete(let service, let account, let kind, _), .putAside(let service, let account, let kind, _):
            changed[Name(service, account, kind)] = .some(nil)
        case .deleteService(let service, let kind):
            let service = Array(service.utf8)
            let kinds = kind.map { [$0] } ?? ItemKind.foundUnnamed
            changed = changed.filter { $0.key.service != service || !kinds.contains($0.key.kind) }
            emptied[service, default: []].formUnion(kinds)
        }
        return nil
    }

    private func present(
        _ name: Name, _ draft: ItemDraft, _ snapshot: Snapshot
    ) throws(VaultError) -> AccessControl? {
        if let known = changed[name] { return known }
        if emptied[name.service]?.contains(name.kind) ?? false { return nil }
        return try snapshot.item(draft)?.summary.access
    }
}

extension Snapshot {
    /// The item that a draft would replace, expired or not. nil if the vault proves that there is none.
    func item(_ draft: ItemDraft) throws(VaultError) -> StoredItem? {
        try item(service: draft.service, account: draft.account, kind: draft.kind)
    }
}
