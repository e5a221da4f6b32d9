import Coffer
import FoundationEssentials

/// Stores and deletes items. Nobody is asked, except to make a vault.
extension InMemoryKeychain {
    public func apply(
        _ changes: [ItemChange], prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome] {
        guard !changes.isEmpty else { return [] }
        guard changes.count <= ItemLimits.changes else {
            throw KeychainError(
                .limitExceeded, "one call makes at most \(ItemLimits.changes) changes", advice: "make several calls")
        }
        let stores = changes.contains { if case .set = $0.action { true } else { false } }
        return try await perform(in: vault, makes: stores, prompts: prompts) { (vault, call) throws(KeychainError) in
            if vault.state == .none, stores {
                try call.checkOwn(vault)
                let question = Question(opens: true, text: "make the vault")
                if call.asks(question) { return .question(question) }
            }
            var outcomes: [ChangeOutcome] = []
            var events: [KeychainEvent] = []
            for change in changes {
                let old = vault.items[change.name]
                try MemoryVault.check(change.condition, change.name, old, at: call.now)
                switch change.action {
                case .set(let new):
                    let item = try vault.set(new, change.name, call)
                    events.append(old == nil ? .added(item) : .updated(item))
                    let wasThere = old.map { !$0.value.isExpired(at: call.now) } ?? false
                    outcomes.append(ChangeOutcome(item: item, existedBefore: wasThere))
                case .delete:
                    vault.remove(change.name)
                    if let old { events.append(.deleted(old.summary)) }
                    outcomes.append(ChangeOutcome(item: old?.summary, existedBefore: old != nil))
                }
            }
            return .done(outcomes, events: events)
        }
    }
}

extension MemoryVault {
    /// Stores an item. An existing one keeps what is not named.
    fileprivate mutating func set(
        _ new: NewItem, _ name: ItemName, _ call: MemoryCall
    ) throws(KeychainError) -> ItemAttributes {
        let old = items[name]
        let live = old.flatMap { $0.value.isExpired(at: call.now) ? nil : $0 }
        let access = new.access ?? old?.value.access ?? .whenUnlocked
        try check(access, call.biometrics)
        try Self.check(access, hasPassword: new.applicationPassword)
        try ItemLimits.check(value: new.value)
        try ItemLimits.check(name)
        try ItemLimits.check(label: new.label, comment: new.comment, attributes: new.attributes ?? [:])
        guard old != nil || items.count < ItemLimits.items else {
            throw KeychainError(.limitExceeded, "a vault has at most \(ItemLimits.items) items")
        }
        let value = StoredValue(
            bytes: new.value, access: access, applicationPassword: new.applicationPassword,
            fingers: access.requirements.contains(.biometryCurrentSet) ? call.fingers : nil,
            version: (old?.value.version ?? 0) + 1, set: call.now,
            expires: new.expiry.map { $0.moment(at: call.now) } ?? live?.value.expires)
        var item =
            old
            ?? StoredItem(
                id: UUID().uuidString.lowercased(), name: name, attributes: [:], created: call.now,
                modified: call.now, value: value)
        if old != nil { item.replace(by: value, at: call.now) }
        if let label = new.label { item.label = label.isEmpty ? nil : label }
        if let comment = new.comment { item.comment = comment.isEmpty ? nil : comment }
        if let attributes = new.attributes { item.attributes = attributes }
        item.modified = call.now
        return put(item).summary
    }
}
