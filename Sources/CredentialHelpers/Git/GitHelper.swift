import Coffer
import FoundationEssentials

/// What git asks of a helper.
struct GitHelper: Sendable {
    let store: EntryStore

    init(store: EntryStore) {
        var store = store
        store.ownFields = GitValue.fields
        // git before 2.41 knows neither, and gives back the password alone.
        store.unsaidFields = [GitValue.expiry, GitValue.refreshToken]
        self.store = store
    }

    /// - Returns: the lines of the answer. None if there is no such entry: then git asks the next helper, or the person.
    func get(_ request: GitRequest) async throws(KeychainError) -> [UInt8] {
        let place = try GitPlace(request)
        return try await EntryStore.beginningAgain { () async throws(KeychainError) -> [UInt8] in
            try await getOnce(request, place)
        }
    }

    private func getOnce(_ request: GitRequest, _ place: GitPlace) async throws(KeychainError) -> [UInt8] {
        let found = try await matches(place).filter {
            // git that does not know of authtype can do nothing with such an entry. One that was erased can have a person's fields left.
            (request.takesAuthtype || $0.attributes[EntryStore.authtype] == nil) && !GitValue.fields(of: $0).isEmpty
                && !isOver($0) && GitRefusal.isLine($0.account)
        }
        // One whose password is still good, then the entry most like the request, then the newest. The others are not read,
        // so that one prompt is enough.
        guard let best = found.min(by: { rank($0, for: place) < rank($1, for: place) }) else { return [] }
        let fields = GitValue.fields(of: best)
        let items: [Item]
        do throws(KeychainError) {
            items = try await store.read(fields, of: best.name, reason: "Log in to \(place.shown)")
        } catch {
            guard error.code == .notFound else { throw error }
            // It was erased meanwhile, or has just expired. Or it has other fields, because another login came.
            let later = try await matches(place).first { $0.name == best.name }
            guard let later, later.revision != best.revision else { return [] }
            throw Self.changed
        }
        // git stores what it gets. A later login would lose what it has besides these fields.
        guard let entry = items.first?.attributes, Self.isOneState(entry, items),
            Set(GitValue.fields(of: entry)) == Set(fields)
        else { throw Self.changed }
        var value = try GitValue(items, fields)
        if let expiry = value.expiry, isPast(expiry) {
            // The refresh token is good for longer. The next helper gets a new password with it.
            guard value.refreshToken != nil else { return [] }
            value.dropPassword()
        }
        guard value.password != nil || value.refreshToken != nil || request.takesAuthtype else { return [] }
        return value.answer(
            user: GitPlace.hasUser(best.name) ? best.account : nil, takesAuthtype: request.takesAuthtype)
    }

    /// Whether all fields were read in one state of their entry.
    private static func isOneState(_ entry: ItemAttributes, _ items: [Item]) -> Bool {
        items.allSatisfy { $0.attributes.revision == entry.revision }
    }

    private static let changed = KeychainError(
        .changedMeanwhile, "the login was changed meanwhile", advice: "try again")

    private func isPast(_ seconds: UInt64) -> Bool { Double(seconds) <= store.now().timeIntervalSince1970 }

    private func hasOldPassword(_ entry: ItemAttributes) -> Bool {
        entry.attributes[EntryStore.passwordExpiry].flatMap { UInt64($0) }.map(isPast) ?? false
    }

    /// Whether git can do nothing with an entry, so that nobody is asked to read it. Earlier versions kept the refresh
    /// token in the same field as the password.
    private func isOver(_ entry: ItemAttributes) -> Bool {
        hasOldPassword(entry) && entry.hasField(GitValue.expiry) && !entry.hasField(GitValue.refreshToken)
    }

    private func rank(_ entry: ItemAttributes, for place: GitPlace) -> (Int, Int) {
        (hasOldPassword(entry) ? 1 : 0, place.distance(to: entry.name))
    }

    /// Keeps what git has logged in with. Nobody is asked, unless there is no vault yet.
    func store(_ request: GitRequest) async throws(KeychainError) {
        guard !request.isEphemeral, !request.isPartial, let value = GitValue(request) else { return }
        let place = try GitPlace(request)
        var attributes = place.attributes
        if let seconds = value.expiry {
            guard !isPast(seconds) else { return }
            attributes[EntryStore.passwordExpiry] = String(seconds)
        }
        attributes["application"] = store.application
        if let path = place.path { attributes["path"] = path }
        if value.password == nil, let authtype = value.authtype {
            attributes[EntryStore.authtype] = String(decoding: authtype, as: UTF8.self)
        }
        var fields = value.stored
        guard var first = fields.first else { return }
        fields.removeFirst()
        first.attributes = attributes
        // The date is git's password's. What a person has added to the entry does not end then.
        first.expiry = .never
        try await store.store(first, and: fields, as: place.name)
    }

    /// Erases what the server has refused. It goes into the bin, because a server can be wrong. If the request has a password, an entry with another one stays, because somebody has stored it since.
    func erase(_ request: GitRequest) async throws(KeychainError) {
        let place = try GitPlace(request)
        try await EntryStore.beginningAgain { () async throws(KeychainError) in try await eraseOnce(request, place) }
    }

    private func eraseOnce(_ request: GitRequest, _ place: GitPlace) async throws(KeychainError) {
        guard request.password != nil || request.credential != nil else {
            let found = try await matches(place, includingExpired: true)
            return try await erase(found)
        }
        let found = try await matches(place)
        let reason = "Compare the login that \(place.shown) refused"
        var values: [ItemName: (items: [Item], fields: [FieldName])] = [:]
        for (field, needsIt) in [(FieldName.secret, request.password != nil), (GitValue.credential, true)] {
            let names = found.filter {
                // An earlier version kept a credential in the field secret.
                $0.hasField(field) && (needsIt || !$0.hasField(GitValue.credential))
            }.map(\.name)
            guard field == .secret || request.credential != nil else { continue }
            let items: [Item]
            do throws(KeychainError) { items = try await read(names, field, reason: reason) } catch {
                // Another login has other fields, or the entry is gone.
                throw error.code == .notFound ? Self.changed : error
            }
            for item in items {
                values[item.attributes.name, default: ([], [])].items.append(item)
                values[item.attributes.name, default: ([], [])].fields.append(field)
            }
        }
        var refused: [ItemAttributes] = []
        for (items, fields) in values.values {
            guard let entry = items.last?.attributes else { continue }
            guard Self.isOneState(entry, items) else { throw Self.changed }
            let value = try GitValue(comparing: items, fields)
            guard request.password == nil || value.password == request.password,
                request.credential == nil || value.credential == request.credential
            else { continue }
            refused.append(entry)
        }
        try await erase(refused)
    }

    /// An entry to which a person has added fields keeps those, so that they are there when git stores the next password.
    /// - Throws: `.changedMeanwhile` for an entry that is no longer as it was looked at.
    private func erase(_ entries: [ItemAttributes]) async throws(KeychainError) {
        var deletions: [ItemChange] = []
        for entry in entries {
            let condition = ItemChange.Condition.isUnchanged(since: entry)
            let own = GitValue.fields(of: entry)
            if own.count == entry.fields.count || entry.expires.map({ $0 <= store.now() }) ?? false {
                deletions.append(.putAside(entry.name, if: condition))
            } else if !own.isEmpty {
                try await store.remove(own, from: entry.name, if: condition)
            }
        }
        try await store.delete(deletions)
    }

    /// Reads a field of all entries with as few prompts as possible.
    private func read(
        _ names: [ItemName], _ field: FieldName, reason: String
    ) async throws(KeychainError) -> [Item] {
        var items: [Item] = []
        var rest = names[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(CredentialCallLimits.reads))
            do throws(KeychainError) { items += try await store.read(some, field: field, reason: reason) } catch {
                // They are too large together.
                guard error.code == .limitExceeded, some.count > 1 else { throw error }
                for name in some { items += try await store.read([name], field: field, reason: reason) }
            }
            rest = rest.dropFirst(CredentialCallLimits.reads)
        }
        return items
    }

    private func matches(
        _ place: GitPlace, includingExpired: Bool = false
    ) async throws(KeychainError) -> [ItemAttributes] {
        try await store.entries(place.attributes, includingExpired: includingExpired)
            .filter { place.matches($0.name) }
    }
}
