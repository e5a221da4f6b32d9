import Coffer
import FoundationEssentials

/// Stores and deletes items. Nobody is asked, except to make a vault.
extension InMemoryKeychain {
    /// Implements `KeychainBackend/set(_:to:if:prompts:in:)`.
    public func set(
        _ name: ItemName, to item: NewItem, if condition: ItemChange.Condition, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await perform(in: vault, makes: true, prompts: prompts) { (vault, call) throws(KeychainError) in
            if let question = try Self.creation(vault, call) { return .question(question) }
            let old = vault.items[name]
            try MemoryVault.check(condition, name, old, at: call.now)
            let stored = try vault.set(item, name, call)
            return .done(stored, events: [old == nil ? .added(stored) : .updated(stored)])
        }
    }

    /// Implements `KeychainBackend/apply(_:prompts:in:)`.
    public func apply(
        _ changes: [ItemChange], prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome] {
        guard !changes.isEmpty else { return [] }
        guard changes.count <= ItemLimits.changes else {
            throw KeychainError(
                .limitExceeded, "one call makes at most \(ItemLimits.changes) changes", advice: "make several calls")
        }
        guard try MessageSize.fits(changes) else { throw MessageSize.tooLong(changes.count) }
        for change in changes {
            guard case .delete = change.action, [.isAbsent, .isPresent].contains(change.condition) else { continue }
            throw KeychainError(
                .invalidArgument, "a deletion may only have the condition isUnchanged",
                advice: "look at the item first, and give its revision")
        }
        let stores = changes.contains { if case .set = $0.action { true } else { false } }
        return try await perform(in: vault, makes: stores, prompts: prompts) { (vault, call) throws(KeychainError) in
            if stores, let question = try Self.creation(vault, call) { return .question(question) }
            var outcomes: [ChangeOutcome] = []
            var events: [KeychainEvent] = []
            for change in changes {
                let (outcome, event) = try vault.make(change, call)
                outcomes.append(outcome)
                if let event { events.append(event) }
            }
            return .done(outcomes, events: events)
        }
    }

    /// The question that comes before a vault is made; nil if there is one.
    private static func creation(_ vault: MemoryVault, _ call: MemoryCall) throws(KeychainError) -> Question? {
        guard vault.state == .none else { return nil }
        try call.checkOwn(vault)
        let question = Question(opens: true, text: "make the vault")
        return call.asks(question) ? question : nil
    }
}

extension MemoryVault {
    /// Makes one of several changes.
    fileprivate mutating func make(
        _ change: ItemChange, _ call: MemoryCall
    ) throws(KeychainError) -> (ChangeOutcome, KeychainEvent?) {
        let old = items[change.name]
        let deletes = if case .delete = change.action { true } else { false }
        try Self.check(change.condition, change.name, old, deletes: deletes, at: call.now)
        switch change.action {
        case .set(let new):
            let item = try set(new, change.name, call)
            let wasThere = old.map { !$0.value.isExpired(at: call.now) } ?? false
            let outcome = ChangeOutcome(version: item.version, revision: item.revision, existedBefore: wasThere)
            return (outcome, old == nil ? .added(item) : .updated(item))
        case .delete:
            remove(change.name)
            return (ChangeOutcome(existedBefore: old != nil), (old?.summary).map(KeychainEvent.deleted))
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
        let isSetting = name.itemClass == .setting
        let access = new.access ?? old?.value.access ?? (isSetting ? .setting : .whenUnlocked)
        try ItemCheck.setting(name, access, new.field)
        try check(access, call.biometrics)
        try Self.check(access, hasPassword: new.applicationPassword)
        try ItemCheck.value(new.value, of: name.itemClass)
        try ItemCheck.name(name)
        try ItemCheck.texts(label: new.label, comment: new.comment, attributes: new.attributes ?? [:])
        guard old != nil || items.count < ItemLimits.items else {
            throw KeychainError(.limitExceeded, "a vault has at most \(ItemLimits.items) items")
        }
        if isSetting { try checkRoom(forSetting: name, new.value.count) }
        if let live, live.hasOthers(than: new.field) {
            guard access == live.value.access else {
                throw KeychainError(
                    .invalidArgument, "the item has other fields, so one cannot be set under another access control",
                    advice: "change the access control of all with edit")
            }
            if let given = new.applicationPassword, given != live.value.applicationPassword {
                throw KeychainError(.applicationPasswordRefused, "the application password is wrong")
            }
        }
        let value = StoredValue(
            bytes: new.value, access: access, applicationPassword: new.applicationPassword,
            fingers: access.requirements.contains(.biometryCurrentSet) ? call.fingers : nil,
            version: (old?.version ?? 0) + 1, set: call.now,
            expires: new.expiry.map { $0.moment(at: call.now) } ?? live?.value.expires)
        var item: MemoryItem
        if let old {
            item = old
            item.replace(new.field, new.fieldKind, by: value, at: call.now)
        } else {
            let kind = new.fieldKind ?? FieldKind(usualFor: new.field)
            item = MemoryItem(
                id: UUID().uuidString.lowercased(), name: name, at: call.now,
                MemoryField(name: new.field, kind: kind, value: value))
        }
        if let label = new.label { item.label = label.isEmpty ? nil : label }
        if let comment = new.comment { item.comment = comment.isEmpty ? nil : comment }
        if let attributes = new.attributes { item.attributes = attributes }
        item.modified = call.now
        return put(item).summary
    }

    /// - Parameter count: the value's bytes.
    private func checkRoom(forSetting name: ItemName, _ count: Int) throws(KeychainError) {
        let limits = ItemLimits.settings
        let others = items.values.filter { $0.name.itemClass == .setting && $0.name != name }
        let own = others.filter { $0.name.service.utf8.elementsEqual(name.service.utf8) }
        guard own.count < limits.ofService, others.count < limits.all,
            own.reduce(count, { $0 + $1.value.bytes.count }) <= limits.bytesOfService
        else { throw KeychainError(.limitExceeded, "there are too many settings") }
    }
}
