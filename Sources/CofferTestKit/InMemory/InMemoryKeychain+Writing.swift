import Coffer
import FoundationEssentials

/// Stores and deletes items. Nobody is asked, except to make a vault, and by `set` to check an application password.
extension InMemoryKeychain {
    /// Implements `KeychainBackend/set(_:to:if:prompts:in:)`.
    public func set(
        _ name: ItemName, to item: NewItem, if condition: ItemChange.Condition, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        let request = ReadRequest(prompts: prompts, applicationPassword: item.applicationPassword)
        return try await perform(in: vault, makes: true, prompts: prompts) { (vault, call) throws(KeychainError) in
            if let question = try Self.creation(vault, call) { return .question(question) }
            // What is wrong with the call itself is told before the item is looked at.
            try ItemCheck.condition(condition)
            let old = vault.items[name]
            let access = try item.chosenAccess(over: old?.value.access, name)
            try vault.check(access, call.biometrics)
            try MemoryVault.check(access, hasPassword: item.applicationPassword)
            if let old, let witness = old.witness(beside: item.field, at: call.now) {
                let question = try Self.question("read \(name)", [(old, witness)], request, vault, call)
                if call.asks(question) { return .question(question) }
                try Self.check(item.applicationPassword, of: witness)
            }
            try ItemCheck.sizes(item, name)
            try MemoryVault.check(condition, name, old, at: call.now)
            let stored = try vault.set(item, name, isPasswordShown: true, call)
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
            try vault.judge(changes, call)
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

extension NewItem {
    /// The access control that the item will have.
    ///
    /// - Parameter present: what it has now, expired or not; nil if it does not exist.
    fileprivate func chosenAccess(
        over present: AccessControl?, _ name: ItemName
    ) throws(KeychainError) -> AccessControl {
        let usual: AccessControl = name.itemClass == .setting ? .setting : .whenUnlocked
        let chosen = try (access ?? present ?? usual).checked
        try ItemCheck.setting(name, chosen)
        return chosen
    }
}

extension MemoryVault {
    /// Refuses what is wrong with any of several changes, before one of them is made.
    fileprivate func judge(_ changes: [ItemChange], _ call: MemoryCall) throws(KeychainError) {
        for change in changes { try ItemCheck.condition(change.condition) }
        var sets: [(item: NewItem, name: ItemName, access: AccessControl)] = []
        // What the changes so far leave; nil for an item that they delete.
        var left: [ItemName: AccessControl?] = [:]
        for change in changes {
            guard case .set(let item) = change.action else {
                left[change.name] = .some(nil)
                continue
            }
            let present: AccessControl? =
                if let known = left[change.name] { known } else { items[change.name]?.value.access }
            let access = try item.chosenAccess(over: present, change.name)
            left[change.name] = .some(access)
            sets.append((item, change.name, access))
        }
        for one in sets { try check(one.access, call.biometrics) }
        for one in sets { try Self.check(one.access, givesPassword: one.item.applicationPassword != nil) }
        let passwords = sets.compactMap { $0.item.applicationPassword }
        guard passwords.count <= MemoryLimits.passwords else {
            throw KeychainError(
                .limitExceeded, "one call takes \(MemoryLimits.passwords) application passwords at most")
        }
        for password in passwords { try ItemCheck.applicationPassword(password) }
        for one in sets { try ItemCheck.sizes(one.item, one.name) }
    }

    /// Makes one of several changes.
    fileprivate mutating func make(
        _ change: ItemChange, _ call: MemoryCall
    ) throws(KeychainError) -> (ChangeOutcome, KeychainEvent?) {
        let old = items[change.name]
        let deletes = if case .delete = change.action { true } else { false }
        try Self.check(change.condition, change.name, old, deletes: deletes, at: call.now)
        switch change.action {
        case .set(let new):
            let item = try set(new, change.name, isPasswordShown: false, call)
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
    /// Stores an item whose parts were judged. An existing one keeps what is not named.
    ///
    /// - Parameter isPasswordShown: whether another field has shown that the application password is the item's.
    fileprivate mutating func set(
        _ new: NewItem, _ name: ItemName, isPasswordShown: Bool, _ call: MemoryCall
    ) throws(KeychainError) -> ItemAttributes {
        let old = items[name]
        let live = old.flatMap { $0.value.isExpired(at: call.now) ? nil : $0 }
        let access = try new.chosenAccess(over: old?.value.access, name)
        let others = live?.others(than: new.field) ?? 0
        try ItemCheck.fields(others + 1)
        if let live, others > 0 {
            try live.checkKept(under: access)
            guard new.applicationPassword == nil || isPasswordShown else {
                throw KeychainError(
                    .invalidArgument,
                    "the item has other fields, and nothing shows that their application password is this one",
                    advice: "set this field by itself, or read the value and set it anew")
            }
        }
        try ItemCheck.signatures(others + 1, access)
        try ItemCheck.setting(name, has: new.field)
        if name.itemClass == .setting { try checkRoom(forSetting: name, new.value.count) }
        guard old != nil || items.count < ItemLimits.items else {
            throw KeychainError(.limitExceeded, "a vault has at most \(ItemLimits.items) items")
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
            item = MemoryItem(
                id: UUID().uuidString.lowercased(), name: name, at: call.now,
                MemoryField(new.field, new.fieldKind, value))
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
