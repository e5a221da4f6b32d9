import Coffer

/// Calls that give out a value, or take the same as giving it out.
extension InMemoryKeychain {
    /// Implements `KeychainBackend/read(_:_:in:)`.
    public func read(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item] {
        guard !items.isEmpty else { return [] }
        let key = SharedReads.Key(items: items, request: request, vault: vault)
        let targets = items.map { Target(item: $0, field: request.field) }
        return try await reads.items(key) { (sharing) throws(KeychainError) in
            try await self.read(targets, request, in: vault, sharing)
        }.copies
    }

    /// Implements `KeychainBackend/read(_:of:_:in:)`, with one question.
    public func read(
        _ fields: [FieldName], of item: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item] {
        if let request = request.single(of: fields) { return try await read([item], request, in: vault) }
        return try await read(fields.map { Target(item: item, field: $0) }, request, in: vault, nil)
    }

    /// A value that is read.
    private struct Target: Hashable, Sendable {
        let item: ItemName
        /// nil: `secret`, or the field of the version.
        let field: FieldName?

        /// As the question names it.
        var shown: String {
            guard let field, field != .secret else { return item.description }
            return "\(item), field \(VisibleText.quoted(field.text))"
        }
    }

    private func read(
        _ targets: [Target], _ request: ReadRequest, in vault: VaultName, _ sharing: SharedReads.Asking?
    ) async throws(KeychainError) -> [Item] {
        guard !targets.isEmpty else { throw KeychainError(.invalidArgument, "name at least one item") }
        guard targets.count <= ItemLimits.reads else {
            throw KeychainError(
                .limitExceeded, "one call reads at most \(ItemLimits.reads) items", advice: "read fewer items at once")
        }
        guard targets.count == 1 || (request.applicationPassword == nil && request.version == nil) else {
            throw KeychainError(
                .invalidArgument, "only a read of one item takes an application password or a version")
        }
        if targets.count > 1 { try Self.checkNames(targets.map(\.item)) }
        try ItemCheck.reason(request.reason)
        if let version = request.version { try ItemCheck.version(version) }
        let found = try await perform(in: vault, prompts: request.prompts, sharing: sharing) {
            (vault, call) throws(KeychainError) -> MemoryStep<[Item]> in
            let values = try Self.values(of: targets, request.version, in: vault, call)
            let question: Question
            do throws(KeychainError) {
                let names = targets.map(\.shown).joined(separator: ", ")
                question = try Self.question("read \(names)", values, request, vault, call)
            } catch {
                guard targets.count > 1, error.code == .applicationPasswordNeeded else { throw error }
                throw KeychainError(
                    .invalidArgument, "an item needs its application password, and a call for several items takes none",
                    advice: "read it by itself")
            }
            guard targets.count == 1 || question.signatures <= ItemLimits.signatures else {
                throw KeychainError(
                    .limitExceeded, "these items have more than \(ItemLimits.signatures) requirements together",
                    advice: "read fewer items at once")
            }
            if call.asks(question) { return .question(question) }
            for (_, value) in values { try Self.check(request.applicationPassword, of: value) }
            return .done(values.map { item, value in item.item(value) })
        }
        // A shared read overwrites its values when all are done. Those in the vault must not be the same memory.
        return found.map { Item(value: $0.value.map(\.self), attributes: $0.attributes) }
    }

    /// - Throws: `.notFound`; `.invalidArgument` for one that is named twice; `.limitExceeded` for too many bytes.
    private static func values(
        of targets: [Target], _ version: Int?, in vault: MemoryVault, _ call: MemoryCall
    ) throws(KeychainError) -> [(MemoryItem, StoredValue)] {
        var values: [(MemoryItem, StoredValue)] = []
        var seen: Set<Target> = []
        for target in targets {
            let item = try vault.item(target.item)
            values.append((item, try item.value(version, of: target.field, at: call.now).value))
            guard seen.insert(target).inserted else {
                throw KeychainError(.invalidArgument, "\(target.shown) is named twice")
            }
        }
        if targets.count > 1, try !MessageSize.fits(values.map { item, value in item.item(value) }) {
            throw KeychainError(
                .limitExceeded, "these items do not fit into one answer", advice: "read fewer items at once")
        }
        return values
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
        guard edit.access == nil || edit.removedFields.isEmpty else {
            throw KeychainError(.invalidArgument, "a field cannot be removed together with a change of access")
        }
        try ItemCheck.condition(condition)
        if case .isUnchanged = condition { try edit.checkCondition() }
        return try await perform(in: vault, prompts: request.prompts) { (vault, call) throws(KeychainError) in
            if let access = edit.access {
                try vault.check(access, call.biometrics)
                try ItemCheck.setting(item, access)
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
                let question = try Self.question("change \(item)", stored.values, request, vault, call)
                if call.asks(question) { return .question(question) }
                try Self.check(request.applicationPassword, of: stored.value)
                try ItemCheck.signatures(stored.fields.count, access)
                let needsPassword = access.requirements.contains(.applicationPassword)
                // Nobody can tell whether the application password is the same as before.
                if needsPassword { stored.former = [] }
                stored.reseal(at: call.now) { value in
                    value.access = access
                    value.applicationPassword = needsPassword ? request.applicationPassword : nil
                    value.fingers = access.requirements.contains(.biometryCurrentSet) ? call.fingers : nil
                }
            }
            try stored.check(edit.removedFields)
            try stored.apply(edit, at: call.now)
            if !edit.removedFields.isEmpty { try stored.remove(edit.removedFields, at: call.now) }
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
            try MemoryVault.check(stored.value.access, hasPassword: request.applicationPassword)
            if !stored.value.access.requirements.isEmpty {
                guard !stored.value.isExpired(at: call.now) else { throw stored.expired }
                let question = try Self.question("rename \(item) to \(name)", stored.values, request, vault, call)
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
        try ItemCheck.version(version)
        return try await perform(in: vault, prompts: request.prompts) { (vault, call) throws(KeychainError) in
            var stored = try vault.live(item, at: call.now)
            let (former, field) = try stored.value(version, of: request.field, at: call.now)
            guard let kept = stored.former.first(where: { $0.value.version == version }) else {
                throw KeychainError(.invalidArgument, "version \(version) of \(item) is the present value")
            }
            try MemoryVault.check(former.access, hasPassword: request.applicationPassword)
            try ItemCheck.reason(request.reason)
            let question = try Self.question(
                "restore version \(version) of \(item)", [(stored, former)], request, vault, call)
            if call.asks(question) { return .question(question) }
            try Self.check(request.applicationPassword, of: former)
            let others = stored.others(than: field)
            if others > 0 { try stored.checkKept(under: former.access) }
            try ItemCheck.fields(others + 1)
            try ItemCheck.signatures(others + 1, former.access)
            var value = former
            value.version = stored.version + 1
            value.set = call.now
            value.expires = stored.value.expires
            let kind = stored.fields.first { $0.name == field }?.kind ?? kept.kind
            stored.replace(field, kind, by: value, restored: version, at: call.now)
            stored.modified = call.now
            let item = vault.put(stored).summary
            return .done(item, events: [.updated(item)])
        }
    }

    /// What a person must do before a call has these values.
    static func question(
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

    /// Refuses an application password that is not the value's.
    static func check(_ password: [UInt8]?, of value: StoredValue) throws(KeychainError) {
        guard let password else { return }
        try ItemCheck.applicationPassword(password)
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
