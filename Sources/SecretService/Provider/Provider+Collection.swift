import CofferClient
import Cryptography
import Platform
import SystemBus

/// Methods of `org.freedesktop.Secret.Collection`, and what makes and removes collections.
extension Provider {
    func collection(
        _ call: BusCall, _ collection: CollectionInfo, _ client: BusClient
    ) async throws(ServiceError) -> [BusValue] {
        switch call.member {
        case "SearchItems":
            let found = index.search(call.arguments[0].dictionary ?? [:], in: collection.id).items
            return [.paths(found.map(\.path))]
        case "CreateItem": return try await createItem(call.arguments, in: collection, client)
        case "Delete": return try await delete(collection, client)
        default: throw Self.unknown(call)
        }
    }

    // MARK: Items

    private func createItem(
        _ arguments: [BusValue], in collection: CollectionInfo, _ client: BusClient
    ) async throws(ServiceError) -> [BusValue] {
        let properties = arguments[0].variants ?? [:]
        guard let received = ReceivedSecret(arguments[1]), let replaces = arguments[2].flag else {
            throw .invalid("the secret is not a structure of session, parameters, value and content type")
        }
        let label = try Self.label(properties[ServiceName.item + ".Label"])
        let attributes = try Self.attributes(properties[ServiceName.item + ".Attributes"])
        let value = try sessions.session(received.session, of: client.name)
            .open(parameters: received.parameters, value: received.value)
        await refreshState()
        guard !isLocked(collection) else { throw locked(for: client) }
        let draft = ItemDraft(
            label: label, attributes: attributes, value: value, contentType: received.contentType, replaces: replaces)
        let item =
            collection.isTransient
            ? try keep(draft, in: collection)
            : try await inWriting(of: draft.replaces ? .attributes(attributes, collection: collection.id) : nil) {
                () async throws(ServiceError) in
                try await self.store(draft, in: collection)
            }
        return [.path(item.path), .path(ServiceName.none)]
    }

    /// An item that a client wants to have made.
    struct ItemDraft: Sendable {
        let label: String
        let attributes: [String: String]
        let value: SecretBytes
        let contentType: String
        let replaces: Bool
    }

    /// - Throws: an error if it is there and not a text.
    static func label(_ value: BusValue?) throws(ServiceError) -> String {
        guard let value else { return "" }
        guard let label = value.text else { throw .invalid("a label is a text") }
        return label
    }

    /// - Throws: an error if they are there and not a dictionary of texts.
    static func attributes(_ value: BusValue?) throws(ServiceError) -> [String: String] {
        guard let value else { return [:] }
        guard let attributes = value.dictionary else {
            throw .invalid(
                "attributes are a dictionary of texts, and no two names may be the same letters in other bytes")
        }
        return attributes
    }

    /// An item of the `session` collection.
    private func keep(_ draft: ItemDraft, in collection: CollectionInfo) throws(ServiceError) -> ServiceItem {
        try Self.check(draft.attributes)
        let former = draft.replaces ? index.identical(to: draft.attributes, in: collection.id) : nil
        let others = index.items(of: collection.id).filter { $0.id != former?.id }
        try Self.check(label: draft.label)
        try Self.check(contentType: draft.contentType)
        try checkTransient(others, adding: draft.value)
        if former == nil { lastTransient += 1 }
        let now = Moment.now
        let item = ServiceItem(
            id: former?.id ?? "t\(transientRun)_\(lastTransient)", collection: collection.id, label: draft.label,
            attributes: draft.attributes, created: former?.created ?? now, modified: now, expires: nil,
            place: .memory(draft.value, contentType: draft.contentType))
        index.insert(item)
        if former == nil { tellCreated(item) } else { tellChanged(item) }
        return item
    }

    /// What is in memory only has limits of its own.
    func checkTransient(_ others: [ServiceItem], adding value: SecretBytes) throws(ServiceError) {
        var bytes = value.count
        for case .memory(let value, _) in others.map(\.place) { bytes += value.count }
        guard others.count < StoreLimits.transientItems, bytes <= StoreLimits.transientBytes,
            value.count <= StoreLimits.value
        else { throw .limit("the session collection is full, or the secret is larger than 1 MiB") }
    }

    static func check(_ attributes: [String: String]) throws(ServiceError) {
        guard attributes.count <= StoreLimits.attributes,
            attributes.allSatisfy({ $0.key.utf8.count + $0.value.utf8.count <= StoreLimits.attributeBytes })
        else { throw .limit("an item has \(StoreLimits.attributes) attributes of 4 KiB at most") }
    }

    /// A label in memory has the limit of one in the vault.
    static func check(label: String) throws(ServiceError) {
        guard label.utf8.count <= StoreLimits.label else { throw .limit("a label has 1 KiB at most") }
    }

    /// A content type in memory has the limit of one in the vault, where it is an attribute.
    static func check(contentType: String) throws(ServiceError) {
        guard StoredAttributes.contentType.utf8.count + contentType.utf8.count <= StoreLimits.attributeBytes else {
            throw .limit("a content type has 4 KiB at most")
        }
    }

    /// Only in ``inWriting(of:_:)``.
    func store(_ draft: ItemDraft, in collection: CollectionInfo) async throws(ServiceError) -> ServiceItem {
        try checkIsThere(collection)
        let made = try await storeNow(draft, in: collection)
        do throws(ServiceError) { try checkIsThere(collection) } catch {
            // It was deleted meanwhile, perhaps before this item was there. Without it the item would be in the vault's
            // own collection.
            try await remove([made.id], protection: .later)
            throw error
        }
        return made
    }

    private func storeNow(
        _ draft: ItemDraft, in collection: CollectionInfo
    ) async throws(ServiceError) -> ServiceItem {
        let stored = StoredAttributes.encode(
            draft.attributes, collection: collection.id, contentType: draft.contentType)
        let item = NewItem(value: draft.value.copied(), label: draft.label, attributes: stored)
        defer { Wipe.storage(of: item.value) }
        if draft.replaces, let replaced = try await replace(with: item, draft.attributes, in: collection) {
            return replaced
        }
        let name = ItemNameChoice.name(label: draft.label, attributes: draft.attributes)
        let taken = Set(vault.items.values.lazy.filter { $0.service == name.service }.map(\.name))
        for number in 1...StoreLimits.sameNames {
            let candidate = ItemName(service: name.service, account: ItemNameChoice.numbered(name.account, number))
            if taken.contains(candidate) { continue }
            do throws(ServiceError) { return try await write(candidate, item, if: .isAbsent) } catch {
                // Another program has just made one of this name.
                guard error.name == ServiceError.alreadyExists else { throw error }
            }
        }
        throw .limit("there are too many items named \(name.service)")
    }

    /// Replaces the item that has exactly these attributes. If another program changes it at the same time, it is looked
    /// for again.
    /// - Returns: nil if there is none.
    private func replace(
        with item: NewItem, _ attributes: [String: String], in collection: CollectionInfo
    ) async throws(ServiceError) -> ServiceItem? {
        for attempt in 1...StoreLimits.attempts {
            guard let old = index.identical(to: attributes, in: collection.id)?.stored else { return nil }
            do throws(ServiceError) { return try await write(old.name, item, if: .isUnchanged(since: old)) } catch {
                let isOutdated = error.cause == .changedMeanwhile || error.cause == .notFound
                guard isOutdated, attempt < StoreLimits.attempts else { throw error }
            }
            await giveWay(after: attempt)
            try await lookAgain(at: old)
        }
        return nil
    }

    private func write(
        _ name: ItemName, _ item: NewItem, if condition: ItemChange.Condition
    ) async throws(ServiceError) -> ServiceItem {
        let stored: ItemAttributes
        do throws(KeychainError) {
            stored = try await noting { () async throws(KeychainError) in
                try await self.backend.set(name, to: item, if: condition, prompts: .never, in: .own)
            }
        } catch { throw ServiceError(error) }
        guard let made = index.items[ServiceItem.id(of: stored)] else {
            throw ServiceError(BusErrorName.failed, "the item was removed meanwhile")
        }
        return made
    }

    // MARK: Collections

    func createCollection(
        _ properties: [String: BusValue], alias: String, _ client: BusClient
    ) async throws(ServiceError) -> [BusValue] {
        let label = try Self.label(properties[ServiceName.collection + ".Label"])
        guard alias.isEmpty || ObjectPath.isAlias(alias) else {
            throw .invalid("an alias has letters, digits, hyphens and underscores, \(StoreLimits.aliasLength) at most")
        }
        if !alias.isEmpty, let present = collections.collection(aliased: alias) {
            return [.path(present.path), .path(ServiceName.none)]
        }
        await refreshState()
        guard state != .unlocked else {
            return [.path(try await makeCollection(label, alias: alias)), .path(ServiceName.none)]
        }
        let prompt = try prompts.add(owner: client.name, dismissed: .path(ServiceName.none)) {
            () async throws(ServiceError) in
            try await self.openVault(for: client)
            return .path(try await self.makeCollection(label, alias: alias))
        }
        return [.path(ServiceName.none), .path(prompt.path)]
    }

    /// A collection may have been deleted since a call about it came.
    func checkIsThere(_ collection: CollectionInfo) throws(ServiceError) {
        guard collections[collection.id] != nil, !leavingCollections.contains(collection.id) else {
            throw .noObject(collection.path)
        }
    }

    private func makeCollection(_ label: String, alias: String) async throws(ServiceError) -> String {
        try await inWriting(of: .records) { () async throws(ServiceError) in
            // Another call may have made it while this one waited.
            if !alias.isEmpty, let present = self.collections.collection(aliased: alias) { return present.path }
            var aliases = self.collections.aliases
            if !alias.isEmpty { aliases[alias] = "" }
            try Self.check(aliases: aliases)
            let id = try await self.makeRecord(label)
            if !alias.isEmpty {
                do throws(ServiceError) {
                    try await self.changeAliases { (aliases: inout [String: String]) throws(ServiceError) -> Bool in
                        aliases[alias] = id
                        return true
                    }
                } catch {
                    // A program that is told of an error finds no collection. `try?`: the first error counts.
                    try? await self.removeRecord(CollectionRecord.name(ofCollection: id))
                    throw error
                }
            }
            return ObjectPath.pathOfCollection(id)
        }
    }

    /// Makes the record of a new collection.
    /// - Returns: the collection's id.
    private func makeRecord(_ label: String) async throws(ServiceError) -> String {
        var id = ""
        try await storeRecord { () throws(ServiceError) -> RecordDraft? in
            guard collections.collections.count < StoreLimits.collections else {
                throw .limit("there are \(StoreLimits.collections) collections, which is the most")
            }
            // Another provider may have taken the id that was tried before.
            id = collections.newID(label: label)
            return RecordDraft(ofCollection: id, label: label)
        }
        return id
    }

    /// Removes a collection with its items. The default one stays, because it is the vault.
    private func delete(_ collection: CollectionInfo, _ client: BusClient) async throws(ServiceError) -> [BusValue] {
        guard collection.id != CollectionInfo.defaultID, !collection.isTransient else {
            throw ServiceError(
                BusErrorName.notSupported, "the collection \(collection.id) is part of Coffer; delete its items instead"
            )
        }
        if isLocked(collection) { await refreshState() }
        if !isLocked(collection) {
            // At once, so that calls that came later find nothing to put an item into.
            try beginRemoving(collection)
            await refreshState()
            if !isLocked(collection) {
                try await remove(collection)
                return [.path(ServiceName.none)]
            }
            leavingCollections.remove(collection.id)
        }
        let prompt = try prompts.add(owner: client.name, dismissed: .text("")) { () async throws(ServiceError) in
            try await self.openVault(for: client)
            try await self.beginRemoving(collection)
            try await self.remove(collection)
            return .text("")
        }
        return [.path(prompt.path)]
    }

    /// From here on, nothing new comes into a collection. No other call waits: what is stored in it meanwhile is removed
    /// again.
    private func beginRemoving(_ collection: CollectionInfo) throws(ServiceError) {
        try checkIsThere(collection)
        leavingCollections.insert(collection.id)
    }

    /// Only after ``beginRemoving(_:)``.
    private func remove(_ collection: CollectionInfo) async throws(ServiceError) {
        try await inWriting { () async throws(ServiceError) in
            defer { self.leavingCollections.remove(collection.id) }
            let items = self.index.items(of: collection.id, now: .distantPast).map(\.id)
            for start in stride(from: 0, to: items.count, by: 64) {
                try await self.remove(
                    Array(items[start..<min(start + 64, items.count)]), of: collection.id, protection: .later,
                    intoBin: true)
            }
            // An alias that stays behind would name a later collection of this id.
            _ = try await self.inTurn(of: .records) { () async throws(ServiceError) in
                try await self.changeAliases { (aliases: inout [String: String]) throws(ServiceError) -> Bool in
                    guard aliases.values.contains(collection.id) else { return false }
                    aliases = aliases.filter { $0.value != collection.id }
                    return true
                }
            }
            // The record is the last, so that a removal that was interrupted can be repeated. Its step of the TPM's
            // counter covers all that was deleted before.
            try await self.removeRecord(CollectionRecord.name(ofCollection: collection.id))
        }
    }

    // MARK: Records

    static func check(aliases: [String: String]) throws(ServiceError) {
        guard aliases.count <= StoreLimits.aliases else { throw .limit("there are too many aliases") }
    }

    /// A record as it has to be.
    struct RecordDraft {
        let name: ItemName
        let label: String
        let attributes: [String: String]

        init(ofCollection id: String, label: String) {
            name = CollectionRecord.name(ofCollection: id)
            self.label = label
            attributes = CollectionRecord.attributes(ofCollection: id)
        }

        init(ofAliases aliases: [String: String]) {
            name = CollectionRecord.aliases
            label = "Secret Service: aliases"
            attributes = CollectionRecord.attributes(ofAliases: aliases)
        }
    }

    /// - Parameter change: changes the aliases as they are now; false if there is nothing to change. It is called again
    ///   if another provider changes them at the same time.
    func changeAliases(
        _ change: (inout [String: String]) throws(ServiceError) -> Bool
    ) async throws(ServiceError) {
        try await storeRecord { () throws(ServiceError) -> RecordDraft? in
            var aliases = collections.aliases
            guard try change(&aliases) else { return nil }
            try Self.check(aliases: aliases)
            return RecordDraft(ofAliases: aliases)
        }
    }

    /// Writes a record. If another provider changes it at the same time, it is drafted and written again.
    /// - Parameter draft: makes it of what is there now; nil if there is nothing to write.
    func storeRecord(_ draft: () throws(ServiceError) -> RecordDraft?) async throws(ServiceError) {
        for attempt in 1...StoreLimits.attempts {
            guard let record = try draft() else { return }
            let name = record.name
            // Nothing waits since the draft: this is the state that it was made of.
            let former = vault.items.values.first { $0.name == name }
            guard former == nil || former?.attributes[StoredAttributes.record] != nil else {
                throw ServiceError(
                    ServiceError.alreadyExists, "\(name) is a secret; give it another name with: coffer rename")
            }
            let item = NewItem(value: [], label: record.label, attributes: record.attributes)
            do throws(KeychainError) {
                try await noting { () async throws(KeychainError) in
                    try await self.backend.set(
                        name, to: item, if: former.map { .isUnchanged(since: $0) } ?? .isAbsent, prompts: .never,
                        in: .own)
                }
                return
            } catch {
                let isOutdated = error.code == .changedMeanwhile || error.code == .alreadyExists
                guard isOutdated, attempt < StoreLimits.attempts else { throw ServiceError(error) }
            }
            await giveWay(after: attempt)
            if let former { try await lookAgain(at: former) } else { try await look(at: name) }
        }
    }

    private func removeRecord(_ name: ItemName) async throws(ServiceError) {
        guard let record = vault.items.values.first(where: { $0.name == name }) else { return }
        try await remove([ServiceItem.id(of: record)])
    }
}
