import CofferClient
import Cryptography
import Platform
import SystemBus

/// Methods of `org.freedesktop.Secret.Item`, and reading.
extension Provider {
    func item(_ call: BusCall, _ item: ServiceItem, _ client: BusClient) async throws(ServiceError) -> [BusValue] {
        switch call.member {
        case "GetSecret": return try await secret(of: item, call.arguments[0].path ?? "", client)
        case "SetSecret":
            guard let received = ReceivedSecret(call.arguments[0]) else {
                throw .invalid("the secret is not a structure of session, parameters, value and content type")
            }
            try await set(item, to: received, client)
            return []
        case "Delete":
            try await delete(item, client)
            return [.path(ServiceName.none)]
        default: throw Self.unknown(call)
        }
    }

    private func secret(of item: ServiceItem, _ sessionPath: String, _ client: BusClient) async throws(ServiceError)
        -> [BusValue]
    {
        _ = try sessions.session(sessionPath, of: client.name)
        // The broker says it when it is asked for the value, too.
        if item.isLocked(in: state) { await refreshState() }
        guard !item.isLocked(in: state) else { throw locked(for: client) }
        let values: [String: SecretBytes]
        do throws(ServiceError) { values = try await read([item], for: client) } catch {
            guard error.cause == .locked else { throw error }
            await refreshState()
            throw locked(for: client)
        }
        guard let value = values[item.id] else { throw .noObject(item.path) }
        // The session may have been closed while a person was asked.
        let session = try sessions.session(sessionPath, of: client.name)
        return [try session.seal(value, contentType: item.contentType)]
    }

    private func set(_ item: ServiceItem, to received: ReceivedSecret, _ client: BusClient) async throws(ServiceError) {
        let value = try sessions.session(received.session, of: client.name)
            .open(parameters: received.parameters, value: received.value)
        guard let stored = item.stored else {
            try checkTransient(index.items(of: item.collection).filter { $0.id != item.id }, adding: value)
            var changed = item
            changed.place = .memory(value, contentType: received.contentType)
            changed.modified = .now
            index.insert(changed)
            tellChanged(changed)
            return
        }
        await refreshState()
        guard !item.isLocked(in: state) else { throw locked(for: client) }
        let type = StoredAttributes.encode(contentType: received.contentType)
        try await changing(stored) { (current) async throws(KeychainError) in
            // The attributes are those of now: another call may have set them since this one came.
            var attributes = current.attributes
            attributes[StoredAttributes.contentType] = type
            let new = NewItem(
                value: value.copied(), attributes: attributes == current.attributes ? nil : attributes)
            defer { Wipe.storage(of: new.value) }
            return try await self.backend.set(
                current.name, to: new, if: .isUnchanged(since: current), prompts: .never, in: .own)
        }
    }

    /// Changes an item of the vault when it is this call's turn. If another program changes it at the same time, the
    /// change is made again.
    /// - Parameter change: gets the item as it is now.
    func changing(
        _ stored: ItemAttributes, _ change: @escaping (ItemAttributes) async throws(KeychainError) -> ItemAttributes
    ) async throws(ServiceError) {
        let id = ServiceItem.id(of: stored)
        try await inWriting(of: .item(id)) { () async throws(ServiceError) in
            for attempt in 1...StoreLimits.attempts {
                guard let current = self.vault[id], let path = self.index.items[id]?.path else {
                    throw .noObject("\(stored.name)")
                }
                do throws(KeychainError) {
                    try await self.noting { () async throws(KeychainError) in try await change(current) }
                    return
                } catch {
                    guard error.code == .changedMeanwhile, attempt < StoreLimits.attempts else {
                        throw ServiceError(error)
                    }
                }
                // The event of the other change may come later.
                do throws(KeychainError) {
                    let now = try await self.noting { () async throws(KeychainError) in
                        try await self.backend.attributes(of: current.name, in: .own)
                    }
                    guard now.id == stored.id else { throw KeychainError(.notFound, "\(path) was replaced") }
                } catch { throw ServiceError(error) }
            }
        }
    }

    private func delete(_ item: ServiceItem, _ client: BusClient) async throws(ServiceError) {
        guard item.stored != nil else {
            index.remove(item.id)
            return tellDeleted(item)
        }
        await refreshState()
        guard !item.isLocked(in: state) else { throw locked(for: client) }
        try await inWriting { () async throws(ServiceError) in
            // It may have been renamed or deleted since the call came.
            guard let current = self.vault[item.id] else { throw .noObject(item.path) }
            try await self.remove([current], intoBin: true)
        }
    }

    // MARK: Reading

    /// Reads values. If a person has to be asked, they are asked once for as many items as one prompt can name.
    /// - Returns: what could be read, if there is anything.
    /// - Throws: the first refusal, if nothing could be read; an error if the values do not fit into an answer.
    func read(_ items: [ServiceItem], for client: BusClient) async throws(ServiceError) -> [String: SecretBytes] {
        var values: [String: SecretBytes] = [:]
        var open: [ItemAttributes] = []
        var gated: [ItemAttributes] = []
        var refusal: ServiceError?
        for item in items {
            switch item.place {
            case .memory(let value, _): values[item.id] = value
            case .vault(let stored) where stored.access.requirements.isEmpty: open.append(stored)
            case .vault(let stored) where stored.access.needsApplicationPassword:
                refusal = ServiceError(
                    BusErrorName.notSupported, "the item has an application password; read it with: coffer get")
            case .vault(let stored): gated.append(stored)
            }
        }
        for group in [open, gated] {
            for start in stride(from: 0, to: group.count, by: StoreLimits.readsAtOnce) {
                let chunk = Array(group[start..<min(start + StoreLimits.readsAtOnce, group.count)])
                do throws(ServiceError) {
                    values.merge(try await readTogether(chunk, for: client)) { $1 }
                } catch {
                    refusal = refusal ?? error
                }
                // No more is read than can be given out.
                guard values.values.reduce(0, { $0 + $1.count }) <= StoreLimits.answer else { throw .answerTooLarge }
            }
        }
        if values.isEmpty, let refusal { throw refusal }
        return values
    }

    /// Reads items with one call, or each by itself if they do not go together.
    private func readTogether(
        _ items: [ItemAttributes], for client: BusClient
    ) async throws(ServiceError) -> [String: SecretBytes] {
        do throws(KeychainError) {
            return items.count == 1 ? try await askOne(items[0], for: client) : try await ask(items, for: client)
        } catch {
            let isAboutOne = [.limitExceeded, .notFound, .invalidArgument].contains(error.code)
            guard items.count > 1, isAboutOne else { throw ServiceError(error) }
        }
        var values: [String: SecretBytes] = [:]
        var refusal: ServiceError?
        for item in items {
            do throws(KeychainError) { values.merge(try await askOne(item, for: client)) { $1 } } catch {
                refusal = ServiceError(error)
            }
        }
        if values.isEmpty, let refusal { throw refusal }
        return values
    }

    /// Reads one item. If another program renames it meanwhile, it is read by its new name.
    private func askOne(
        _ item: ItemAttributes, for client: BusClient
    ) async throws(KeychainError) -> [String: SecretBytes] {
        do throws(KeychainError) { return try await ask([item], for: client) } catch {
            guard error.code == .notFound, let renamed = await renamed(item) else { throw error }
            return try await ask([renamed], for: client)
        }
    }

    private func ask(
        _ items: [ItemAttributes], for client: BusClient
    ) async throws(KeychainError) -> [String: SecretBytes] {
        let asks = items.contains { !$0.access.requirements.isEmpty }
        var wanted = ReadRequest(
            reason: client.reason, prompts: asks ? Prompts.automatic.announcing(client.sentence) : .never,
            mayUnlock: false)
        // A lease of the program that has started this one is for its descendants, and not for every program on the bus.
        wanted.forOthers = true
        let (request, backend) = (wanted, backend)
        let read: @Sendable () async throws(KeychainError) -> [Item] = { () async throws(KeychainError) in
            try await backend.read(items.map(\.name), request, in: .own)
        }
        let found = asks ? try await askingPerson(within: asking.answer, read) : try await read()
        var values: [String: SecretBytes] = [:]
        for (item, asked) in zip(found, items) {
            defer { Wipe.storage(of: item.value) }
            // An item of this name that is another one was not asked for.
            guard item.attributes.id == asked.id else {
                throw KeychainError(.notFound, "\(asked.name) was replaced meanwhile")
            }
            do throws(CryptographyError) {
                values[ServiceItem.id(of: asked)] = try SecretBytes(copying: item.value)
            } catch { throw KeychainError(.failed, error.reason) }
        }
        return values
    }
}

extension AccessControl {
    /// Whether nothing else opens the item. The bus has no way to ask for it.
    fileprivate var needsApplicationPassword: Bool {
        requirements.contains(.applicationPassword) && !anyIsEnough
    }
}
