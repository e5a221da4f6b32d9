import Coffer

/// Calls that give out a value, or take the same as giving it out.
extension InMemoryKeychain {
    /// Implements `KeychainBackend/read(_:_:in:)`.
    public func read(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item] {
        guard !items.isEmpty else { return [] }
        let key = SharedReads.Key(items: items, request: request, vault: vault)
        return try await reads.items(key) { (sharing) throws(KeychainError) in
            try await self.read(items, request, in: vault, sharing)
        }.copies
    }

    private func read(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName, _ sharing: SharedReads.Asking
    ) async throws(KeychainError) -> [Item] {
        guard items.count <= ItemLimits.reads else {
            throw KeychainError(
                .limitExceeded, "one call reads at most \(ItemLimits.reads) items", advice: "read fewer items at once")
        }
        guard Set(items).count == items.count else {
            throw KeychainError(.invalidArgument, "an item is named twice")
        }
        guard items.count == 1 || (request.applicationPassword == nil && request.version == nil) else {
            throw KeychainError(
                .invalidArgument, "only a read of one item takes an application password or a version")
        }
        if items.count > 1 { try Self.checkNames(items) }
        try ItemCheck.reason(request.reason)
        if let version = request.version { try ItemCheck.version(version) }
        let found = try await perform(in: vault, prompts: request.prompts, sharing: sharing) {
            (vault, call) throws(KeychainError) -> MemoryStep<[Item]> in
            var values: [(MemoryItem, StoredValue)] = []
            for name in items {
                let item = try vault.item(name)
                values.append((item, try item.value(request.version, of: request.field, at: call.now).value))
            }
            if items.count > 1, try !MessageSize.fits(values.map { item, value in item.item(value) }) {
                throw KeychainError(
                    .limitExceeded, "these items do not fit into one answer", advice: "read fewer items at once")
            }
            let names = items.map(\.description).joined(separator: ", ")
            let question: Question
            do throws(KeychainError) {
                question = try Self.question("read \(names)", values, request, vault, call)
            } catch {
                guard items.count > 1, error.code == .applicationPasswordNeeded else { throw error }
                throw KeychainError(
                    .invalidArgument, "an item needs its application password, and a call for several items takes none",
                    advice: "read it by itself")
            }
            if call.asks(question) { return .question(question) }
            for (_, value) in values { try Self.check(request.applicationPassword, of: value) }
            return .done(values.map { item, value in item.item(value) })
        }
        // A shared read overwrites its values when all are done. Those in the vault must not be the same memory.
        return found.map { Item(value: $0.value.map(\.self), attributes: $0.attributes) }
    }

    private static func checkNames(_ items: [ItemName]) throws(KeychainError) {
        guard items.allSatisfy({ max($0.service.utf8.count, $0.account.utf8.count) <= ItemLimits.name }) else {
            throw KeychainError(
                .limitExceeded, "a service or an account may have at most \(ItemLimits.name) bytes")
        }
    }

    /// Implements `KeychainBackend/edit(_:_:_:in:)`.
    public func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await self.edit(item, edit, request, if: .none, in: vault)
    }

    /// Implements `KeychainBackend/edit(_:_:_:if:in:)`.
    public func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, if condition: ItemChange.Condition,
        in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try ItemCheck.reason(request.reason)
        if case .isUnchanged = condition { try edit.checkCondition() }
        return try await perform(in: vault, prompts: request.prompts) { (vault, call) throws(KeychainError) in
            if let access = edit.access {
                try vault.check(access, call.biometrics)
                try ItemCheck.setting(item, access, .secret)
                let needsPassword = access.requirements.contains(.applicationPassword)
                try MemoryVault.check(access, hasPassword: needsPassword ? request.applicationPassword : nil)
            } else if request.applicationPassword != nil {
                throw KeychainError(.invalidArgument, "only a change of access takes an application password")
            }
            if case .isUnchanged = condition {
                try MemoryVault.check(condition, item, vault.items[item], at: call.now)
            }
            var stored = try vault.live(item, at: call.now)
            if let access = edit.access {
                let question = try Self.question("change \(item)", [(stored, stored.value)], request, vault, call)
                if call.asks(question) { return .question(question) }
                try Self.check(request.applicationPassword, of: stored.value)
                let needsPassword = access.requirements.contains(.applicationPassword)
                // Nobody can tell whether the application password is the same as before.
                if needsPassword { stored.former = [] }
                stored.reseal(at: call.now) { value in
                    value.access = access
                    value.applicationPassword = needsPassword ? request.applicationPassword : nil
                    value.fingers = access.requirements.contains(.biometryCurrentSet) ? call.fingers : nil
                }
            }
            if !edit.removedFields.isEmpty {
                guard edit.access == nil else {
                    throw KeychainError(
                        .invalidArgument, "a field cannot be removed together with a change of access")
                }
                try stored.remove(edit.removedFields, at: call.now)
            }
            try stored.apply(edit, at: call.now)
            let item = vault.put(stored).summary
            return .done(item, events: [.updated(item)])
        }
    }

    /// Implements `KeychainBackend/rename(_:to:_:in:)`.
    public func rename(
        _ item: ItemName, to name: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try ItemCheck.reason(request.reason)
        return try await perform(in: vault, prompts: request.prompts) { (vault, call) throws(KeychainError) in
            let stored = try vault.item(item)
            // An impossible change is refused before anybody is asked.
            try vault.checkName(name, for: stored)
            if stored.value.access.requirements.isEmpty {
                guard request.applicationPassword == nil else { throw .noApplicationPassword }
            } else {
                let question = try Self.question(
                    "rename \(item) to \(name)", [(stored, stored.value)], request, vault, call)
                if call.asks(question) { return .question(question) }
                try Self.check(request.applicationPassword, of: stored.value)
            }
            let renamed = try vault.rename(stored, to: name, at: call.now)
            let events: [KeychainEvent] = name == item ? [] : [.deleted(stored.summary), .added(renamed.summary)]
            return .done(renamed.summary, events: events)
        }
    }

    /// Implements `KeychainBackend/restore(_:version:_:in:)`.
    public func restore(
        _ item: ItemName, version: Int, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try ItemCheck.reason(request.reason)
        try ItemCheck.version(version)
        return try await perform(in: vault, prompts: request.prompts) { (vault, call) throws(KeychainError) in
            var stored = try vault.live(item, at: call.now)
            let (former, field) = try stored.value(version, of: request.field, at: call.now)
            guard stored.former.contains(where: { $0.value.version == version }) else {
                throw KeychainError(.invalidArgument, "version \(version) of \(item) is the present value")
            }
            let question = try Self.question(
                "restore version \(version) of \(item)", [(stored, former)], request, vault, call)
            if call.asks(question) { return .question(question) }
            try Self.check(request.applicationPassword, of: former)
            guard former.access == stored.value.access || !stored.hasOthers(than: field) else {
                throw KeychainError(
                    .invalidArgument,
                    "the item has other fields, so one cannot be set under another access control",
                    advice: "change the access control of all with edit")
            }
            var value = former
            value.version = stored.version + 1
            value.set = call.now
            value.expires = stored.value.expires
            stored.replace(field, by: value, restored: version, at: call.now)
            stored.modified = call.now
            let item = vault.put(stored).summary
            return .done(item, events: [.updated(item)])
        }
    }

    private static func question(
        _ deed: String, _ values: [(MemoryItem, StoredValue)], _ request: ReadRequest, _ vault: MemoryVault,
        _ call: MemoryCall
    ) throws(KeychainError) -> Question {
        try call.checkOwn(vault)
        var question = Question(text: deed + (request.reason.map { ": \($0)" } ?? ""))
        for (item, value) in values {
            try question.add(
                value, of: item, in: vault, fingers: call.fingers, mayUnlock: request.mayUnlock,
                hasPassword: request.applicationPassword != nil)
        }
        return question
    }

    private static func check(_ password: [UInt8]?, of value: StoredValue) throws(KeychainError) {
        guard let password else { return }
        guard password == value.applicationPassword else {
            throw KeychainError(
                .applicationPasswordRefused, "the application password is wrong, or the item is damaged",
                advice: "try again")
        }
    }
}

extension MemoryItem {
    /// Changes everything but the value and its access control.
    mutating func apply(_ edit: ItemEdit, at now: Int64) throws(KeychainError) {
        if let new = edit.label { label = new.isEmpty ? nil : new }
        if let new = edit.comment { comment = new.isEmpty ? nil : new }
        for (name, value) in edit.attributes ?? [:] {
            if let place = attributes.index(forKey: name) {
                guard attributes[place].key.utf8.elementsEqual(name.utf8) else {
                    throw KeychainError(
                        .invalidArgument, "the item has this attribute in another Unicode spelling",
                        advice: "use the item's spelling")
                }
            }
            attributes[name] = value.isEmpty ? nil : value
        }
        if let expiry = edit.expiry { expire(expiry.moment(at: now)) }
        modified = now
        try ItemCheck.texts(label: label, comment: comment, attributes: attributes)
    }
}

extension Expiry {
    /// Milliseconds since 1970-01-01 UTC; nil for never.
    func moment(at now: Int64) -> Int64? {
        let moment = ItemExpiry(self).milliseconds(now: Moment(milliseconds: now))
        return moment == 0 ? nil : moment
    }
}
