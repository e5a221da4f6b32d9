import Coffer
import FoundationEssentials

/// The entries of one helper in a vault: internet passwords that have its name as the attribute `application`.
struct EntryStore: Sendable {
    /// The attribute's value, and the beginning of every entry's service: `git`.
    let application: String
    let vault: VaultName
    /// The access control of new entries; nil for the vault's default. What an entry replaces can make it stricter.
    var newAccess: AccessControl?
    var backend: any KeychainBackend = BrokerBackend()
    var prompts = Prompts.automatic
    var now: @Sendable () -> Date = { Date() }

    /// The attribute of an entry that has no password, but a credential for a scheme of HTTP authentication.
    static let authtype = "authtype"
    /// The attribute of an entry whose password expires. The entry does not: a person may have added fields to it.
    static let passwordExpiry = "password_expiry_utc"
    /// The attributes that tell about the value, and go with it.
    private static let ofValue: Set<String> = [authtype, passwordExpiry]
    /// The fields that are the program's own. An entry's others are a person's, and stay.
    var ownFields: @Sendable (ItemAttributes) -> [FieldName] = { $0.hasField(.secret) ? [.secret] : [] }
    /// Those of the program's fields that an older program leaves out of what it gives back. Without them, a login can be
    /// the one that is stored.
    var unsaidFields: Set<FieldName> = []

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

    /// Stores an entry, and begins again if another login comes first. Nobody is asked, unless there is no vault yet.
    /// - Parameters:
    ///   - entry: without an access control. An entry that exists keeps its own, also one that has expired: a refreshed
    ///     token must not be easier to read than the one before it.
    ///   - more: further fields of the entry. Those of the program's own that are not among them go; a person's stay.
    func store(
        _ entry: NewItem, and more: [NewItem] = [], as name: ItemName
    ) async throws(KeychainError) {
        // The later of two logins replaces the other one as a whole.
        try await Self.beginningAgain { () async throws(KeychainError) in
            try await storeOnce(entry, and: more, as: name)
        }
    }

    /// Begins again if an entry changed meanwhile, or another program has stored it first.
    static func beginningAgain<Result: Sendable>(
        _ change: () async throws(KeychainError) -> Result
    ) async throws(KeychainError) -> Result {
        for _ in 1..<CredentialCallLimits.attempts {
            do throws(KeychainError) { return try await change() } catch {
                guard [.changedMeanwhile, .alreadyExists].contains(error.code) else { throw error }
            }
        }
        return try await change()
    }

    /// Stores an entry if nobody changes it meanwhile, and puts others into the bin in the same transaction.
    /// - Parameter others: what the entry replaces, as it was looked at. It is not easier to read than these afterwards.
    /// - Throws: `.changedMeanwhile` or `.alreadyExists` if another program came first; otherwise as a backend.
    func storeOnce(
        _ entry: NewItem, and more: [NewItem] = [], as name: ItemName, replacing others: [ItemAttributes] = []
    ) async throws(KeychainError) {
        var entry = entry
        var surplus: [FieldName] = []
        var wayOut: String?
        // No revision names an entry that has expired. As long as nobody stores it anew, it counts as absent.
        var condition = ItemChange.Condition.isAbsent
        if let present = try await present(name) {
            if others.isEmpty, !hasExpired(present), await isSame([entry] + more, as: present) { return }
            // What a person has added stays.
            entry.attributes = Self.attributes(of: entry, over: present)
            let access = others.reduce(present.access) { $0.keeping($1.access) }
            if access != present.access {
                entry.access = access
                wayOut = removal(of: nil, or: others)
            }
            if !hasExpired(present) {
                condition = .isUnchanged(since: present)
                let stored = Set(([entry] + more).map(\.field))
                surplus = ownFields(present).filter { !stored.contains($0) }
            }
            // Nothing of the former login may be left beside the new one. But an item has at least one field.
            if !surplus.isEmpty, surplus.count < present.fields.count {
                let left = try await remove(surplus, from: name, if: .isUnchanged(since: present))
                condition = .isUnchanged(since: left)
                surplus = []
            }
        } else {
            let deleted = try await deleted(name)
            var replaced = others.map(\.access)
            if let deleted {
                replaced.append(deleted.access)
                entry.label = deleted.label
                entry.comment = deleted.comment
                entry.attributes = Self.attributes(of: entry, over: deleted)
            }
            entry.access = replaced.reduce(newAccess) { access, former in
                (access ?? AccessControl.whenUnlocked).keeping(former)
            }
            wayOut = removal(of: deleted, or: others)
        }
        let revision: String?
        do throws(KeychainError) {
            revision = try await write([entry] + more, as: name, if: condition, replacing: others)
        } catch { throw Self.explained(error, wayOut) }
        guard !surplus.isEmpty else { return }
        // What another login has stored since is not of the former one.
        condition = if let revision { .isUnchanged(revision: revision) } else { .none }
        try await remove(surplus, from: name, if: condition)
    }

    /// The command that removes a former entry whose requirement of a finger goes over to the new one; nil without one.
    private func removal(of deleted: ItemAttributes?, or others: [ItemAttributes]) -> String? {
        // If the options require a finger, nothing is gained without the former entry.
        guard !(newAccess?.requiresFinger ?? false) else { return nil }
        var options = ["--kind", ItemKind.internetPassword.rawValue]
        switch vault {
        case .own: break
        case .group(let name): options += ["--group", name]
        case .account(let name): options += ["--user", name]
        }
        let former: ItemAttributes
        if let deleted, deleted.access.requiresFinger {
            former = deleted
            options.append("--now")
        } else {
            guard let other = others.first(where: \.access.requiresFinger) else { return nil }
            former = other
        }
        // A name that begins with a dash is not read as an option after this.
        let words = ["coffer", "rm"] + options + ["--", former.service, former.account]
        return words.map(ShellWord.quoted).joined(separator: " ")
    }

    /// An error of a new entry. If no finger can be asked for, it says how to begin without the former requirement.
    private static func explained(_ error: KeychainError, _ wayOut: String?) -> KeychainError {
        guard let wayOut, [.biometryNotEnrolled, .biometryNotAvailable].contains(error.code) else { return error }
        let advices = [error.advice, "if you no longer use fingerprints, remove the former entry with: \(wayOut)"]
        return KeychainError(
            error.code, "\(error.message), and the former entry required it",
            advice: advices.filter { !$0.isEmpty }.joined(separator: "; "), cause: error.cause)
    }

    /// A person's attributes stay, and those that tell about the former value go.
    private static func attributes(of entry: NewItem, over former: ItemAttributes) -> [String: String] {
        former.attributes.filter { !ofValue.contains($0.key) }.merging(entry.attributes ?? [:]) { $1 }
    }

    /// Writes fields of an entry, and puts others aside, all or nothing.
    /// - Parameter condition: what must be true of the entry. The others must be as they were looked at.
    /// - Returns: the state of the entry after that; nil if the backend does not name it.
    private func write(
        _ fields: [NewItem], as name: ItemName, if condition: ItemChange.Condition, replacing others: [ItemAttributes]
    ) async throws(KeychainError) -> String? {
        if others.isEmpty, fields.count == 1 {
            return try await backend.set(name, to: fields[0], if: condition, prompts: prompts, in: vault).revision
        }
        var changes: [ItemChange] = []
        for field in fields {
            // A later change finds what the first one has done, so it would find another state.
            changes.append(ItemChange(name, .set(field), if: changes.isEmpty ? condition : .none))
        }
        for other in others.prefix(CredentialCallLimits.changes - changes.count) {
            changes.append(.putAside(other.name, if: .isUnchanged(since: other)))
        }
        let outcomes = try await backend.apply(changes, prompts: prompts, in: vault)
        // That of the entry's last field.
        return outcomes.count < fields.count ? nil : outcomes[fields.count - 1].revision
    }

    /// Removes fields of an entry, and asks nobody. They become former values.
    ///
    /// What is left does not expire: earlier versions gave the item the date of git's password.
    /// - Parameter condition: `.isUnchanged` for what was looked at. It may have been stored anew since.
    /// - Returns: the entry as it is then.
    /// - Throws: `.changedMeanwhile`.
    @discardableResult
    func remove(
        _ fields: [FieldName], from name: ItemName, if condition: ItemChange.Condition
    ) async throws(KeychainError) -> ItemAttributes {
        var edit = ItemEdit()
        edit.removedFields = fields
        edit.expiry = .never
        // An attribute that tells about a field goes with it.
        var attributes: [String: String] = [:]
        for field in fields where Self.ofValue.contains(field.text) { attributes[field.text] = "" }
        if !attributes.isEmpty { edit.attributes = attributes }
        let request = ReadRequest(prompts: .never, mayUnlock: false)
        return try await backend.edit(name, edit, request, if: condition, in: vault)
    }

    /// The entry of this name that was put into the bin last.
    private func deleted(_ name: ItemName) async throws(KeychainError) -> ItemAttributes? {
        guard let bin = backend as? any BinListing else { return nil }
        return try await bin.deletedItems(of: name.service, in: vault)
            .first { $0.name == name && $0.attributes["application"] == application }
    }

    /// The entry of this name, expired or not.
    private func present(_ name: ItemName) async throws(KeychainError) -> ItemAttributes? {
        let query = ItemQuery(service: name.service, itemClass: .internetPassword)
        return try await backend.items(matching: query, in: vault).first { $0.name == name }
    }

    /// Whether storing would change nothing. An entry that cannot be read without a person counts as different.
    /// The date of a password is a field, too.
    private func isSame(_ fields: [NewItem], as present: ItemAttributes) async -> Bool {
        let names = fields.map(\.field)
        let further = ownFields(present).filter { !names.contains($0) }
        guard present.access.requirements.isEmpty, Set(names).isSubset(of: ownFields(present)),
            further.allSatisfy(unsaidFields.contains), further.isEmpty || isInForce(present),
            (fields[0].attributes ?? [:]).allSatisfy({ new in
                present.attributes[new.key].map { $0.utf8.elementsEqual(new.value.utf8) } ?? false
            })
        else { return false }
        let request = ReadRequest(prompts: .never, mayUnlock: false)
        // `try?`: storing again is right if the value cannot be compared.
        guard let items = try? await backend.read(names, of: present.name, request, in: vault) else { return false }
        return zip(items, fields).allSatisfy { SecretField.equal($0.value, $1.value) }
    }

    /// Whether a password has no end, or one that is still to come. One that has ended and is given anew has another end.
    private func isInForce(_ present: ItemAttributes) -> Bool {
        guard present.fields.contains(where: { $0.name.text == Self.passwordExpiry }) else { return true }
        guard let end = present.attributes[Self.passwordExpiry].flatMap(UInt64.init) else { return false }
        return Double(end) > now().timeIntervalSince1970
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

extension AccessControl {
    fileprivate var requiresFinger: Bool { !requirements.isDisjoint(with: [.biometryAny, .biometryCurrentSet]) }
}

extension ItemAttributes {
    func hasField(_ name: FieldName) -> Bool { fields.contains { $0.name == name } }
}
