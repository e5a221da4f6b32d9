import Coffer
import FoundationEssentials

/// The entries of one helper in a vault: internet passwords that have its name as the attribute `application`.
struct EntryStore: Sendable {
    /// The attribute's value, and the beginning of every entry's service: `git`.
    let application: String
    let vault: VaultName
    /// The access control of new entries; nil for the vault's default.
    var newAccess: AccessControl?
    var backend: any KeychainBackend = BrokerBackend()
    var prompts = Prompts.automatic
    var now: @Sendable () -> Date = { Date() }

    /// The attribute of an entry that has no password, but a credential for a scheme of HTTP authentication.
    static let authtype = "authtype"
    /// The attribute of an entry whose password expires before the rest of it.
    static let passwordExpiry = "password_expiry_utc"
    /// The attributes that tell about the value, and go with it.
    private static let ofValue: Set<String> = [authtype, passwordExpiry]
    /// The fields that are the program's own. An entry's others are a person's, and stay.
    var ownFields: @Sendable (ItemAttributes) -> [FieldName] = { $0.hasField(.secret) ? [.secret] : [] }

    /// The entries that have these attributes, the newest first. Nobody is asked.
    /// - Parameter includingExpired: also those that nobody can read any longer, to delete them.
    func entries(
        _ attributes: [String: String] = [:], includingExpired: Bool = false
    ) async throws(KeychainError) -> [ItemAttributes] {
        let query = ItemQuery(
            itemClass: .internetPassword, attributes: attributes.merging(["application": application]) { $1 })
        return try await backend.items(matching: query, in: vault)
            .filter { $0.service.hasPrefix("\(application):") && (includingExpired || !hasExpired($0)) }
            .sorted { $0.modified > $1.modified }
    }

    private func hasExpired(_ entry: ItemAttributes) -> Bool { entry.expires.map { $0 <= now() } ?? false }

    func name(_ service: String, _ account: String) -> ItemName {
        ItemName(service: service, account: account, itemClass: .internetPassword)
    }

    /// Reads entries, all or none, with one prompt if any is needed.
    /// - Parameter field: the same of each.
    func read(
        _ names: [ItemName], field: FieldName = .secret, reason: String
    ) async throws(KeychainError) -> [Item] {
        var request = request(reason)
        request.field = field == .secret ? nil : field
        return try await explaining { [request] () async throws(KeychainError) in
            try await backend.read(names, request, in: vault)
        }
    }

    /// Reads fields of one entry, with one prompt if any is needed.
    func read(_ fields: [FieldName], of name: ItemName, reason: String) async throws(KeychainError) -> [Item] {
        let request = request(reason)
        return try await explaining { () async throws(KeychainError) in
            try await backend.read(fields, of: name, request, in: vault)
        }
    }

    private func request(_ reason: String) -> ReadRequest {
        ReadRequest(
            reason: String(reason.unicodeScalars.prefix(CredentialCallLimits.reason)),
            prompts: prompts.remembering(ShownNotice()))
    }

    private func explaining(
        _ read: () async throws(KeychainError) -> [Item]
    ) async throws(KeychainError) -> [Item] {
        do throws(KeychainError) { return try await retrying(read) } catch {
            guard error.code == .authenticationNeeded || error.code == .locked else { throw error }
            // `try?`: the first error is good enough if the state is not known.
            guard let state = try? await backend.status(of: vault).state, state != .unlocked else { throw error }
            throw KeychainError(
                .locked, "the vault is locked, and there is no terminal to ask at",
                advice: "run in a terminal: coffer unlock")
        }
    }

    private func retrying(
        _ read: () async throws(KeychainError) -> [Item]
    ) async throws(KeychainError) -> [Item] {
        for _ in 1..<CredentialCallLimits.tries {
            do throws(KeychainError) { return try await read() } catch {
                // As with sudo, a person at a terminal may try again. Each try is a new conversation.
                guard error.code == .wrongPassword, TerminalPrompter.isPresent else { throw error }
                try TerminalPrompter().tell(.init(style: .error, text: "Wrong password, try again."))
            }
        }
        return try await read()
    }

    /// Stores an entry, and deletes others in the same transaction. Nobody is asked, unless there is no vault yet.
    /// - Parameters:
    ///   - entry: without an access control. An entry that exists keeps its own, also one that has expired: a refreshed
    ///     token must not be easier to read than the one before it.
    ///   - more: further fields of the entry. Those of the program's own that are not among them go; a person's stay.
    func store(
        _ entry: NewItem, and more: [NewItem] = [], as name: ItemName, deleting others: [ItemName] = []
    ) async throws(KeychainError) {
        // The later of two logins replaces the other one as a whole.
        try await Self.beginningAgain { () async throws(KeychainError) in
            try await storeOnce(entry, more, as: name, deleting: others)
        }
    }

    /// Begins again if an entry changed meanwhile.
    static func beginningAgain(_ change: () async throws(KeychainError) -> Void) async throws(KeychainError) {
        for _ in 1..<CredentialCallLimits.attempts {
            do throws(KeychainError) { return try await change() } catch {
                guard error.code == .changedMeanwhile else { throw error }
            }
        }
        try await change()
    }

    private func storeOnce(
        _ entry: NewItem, _ more: [NewItem], as name: ItemName, deleting others: [ItemName]
    ) async throws(KeychainError) {
        var entry = entry
        var surplus: [FieldName] = []
        if let present = try await present(name) {
            if others.isEmpty, !hasExpired(present), await isSame([entry] + more, as: present) { return }
            // What a person has added stays.
            entry.attributes = present.attributes.filter { !Self.ofValue.contains($0.key) }
                .merging(entry.attributes ?? [:]) { $1 }
            if !hasExpired(present) {
                let stored = Set(([entry] + more).map(\.field))
                surplus = ownFields(present).filter { !stored.contains($0) }
            }
            // Nothing of the former login may be left beside the new one. But an item has at least one field.
            if !surplus.isEmpty, surplus.count < present.fields.count {
                try await remove(surplus, from: name, if: .isUnchanged(since: present))
                surplus = []
            }
        } else {
            entry.access = newAccess
        }
        let deletions = others.map { ItemChange($0, .delete) }
        let revision: String?
        if deletions.isEmpty, more.isEmpty {
            revision = try await backend.set(name, to: entry, if: .none, prompts: prompts, in: vault).revision
        } else {
            let changes = ([entry] + more).map { ItemChange(name, .set($0)) }
            let outcomes = try await backend.apply(changes + deletions, prompts: prompts, in: vault)
            // That of the entry's last field.
            revision = outcomes.indices.contains(more.count) ? outcomes[more.count].revision : nil
        }
        guard !surplus.isEmpty else { return }
        // What another login has stored since is not of the former one.
        let condition: ItemChange.Condition = if let revision { .isUnchanged(revision: revision) } else { .none }
        try await remove(surplus, from: name, if: condition)
    }

    /// Removes fields of an entry, and asks nobody. They become former values.
    /// - Parameter condition: `.isUnchanged` for what was looked at. It may have been stored anew since.
    /// - Throws: `.changedMeanwhile`.
    func remove(
        _ fields: [FieldName], from name: ItemName, if condition: ItemChange.Condition
    ) async throws(KeychainError) {
        var edit = ItemEdit()
        edit.removedFields = fields
        let request = ReadRequest(prompts: .never, mayUnlock: false)
        _ = try await backend.edit(name, edit, request, if: condition, in: vault)
    }

    /// The entry of this name, expired or not.
    private func present(_ name: ItemName) async throws(KeychainError) -> ItemAttributes? {
        let query = ItemQuery(service: name.service, itemClass: .internetPassword)
        return try await backend.items(matching: query, in: vault).first { $0.name == name }
    }

    /// Whether storing would change nothing. An entry that cannot be read without a person counts as different.
    /// The value also has what the expiry is made from.
    private func isSame(_ fields: [NewItem], as present: ItemAttributes) async -> Bool {
        let names = fields.map(\.field)
        guard present.access.requirements.isEmpty, Set(ownFields(present)) == Set(names),
            (fields[0].attributes ?? [:]).allSatisfy({ new in
                present.attributes[new.key].map { $0.utf8.elementsEqual(new.value.utf8) } ?? false
            })
        else { return false }
        let request = ReadRequest(prompts: .never, mayUnlock: false)
        // `try?`: storing again is right if the value cannot be compared.
        guard let items = try? await backend.read(names, of: present.name, request, in: vault) else { return false }
        return zip(items, fields).allSatisfy { SecretField.equal($0.value, $1.value) }
    }

    /// Deletes entries for good. Absent ones are fine.
    func delete(_ names: [ItemName]) async throws(KeychainError) {
        try await delete(names.map { ItemChange($0, .delete) })
    }

    func delete(_ deletions: [ItemChange]) async throws(KeychainError) {
        var rest = deletions[...]
        while !rest.isEmpty {
            _ = try await backend.apply(Array(rest.prefix(CredentialCallLimits.changes)), prompts: prompts, in: vault)
            rest = rest.dropFirst(CredentialCallLimits.changes)
        }
    }
}

extension ItemAttributes {
    func hasField(_ name: FieldName) -> Bool { fields.contains { $0.name == name } }
}
