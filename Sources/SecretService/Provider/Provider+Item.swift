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
        let values: [String: ReadSecret]
        do throws(ServiceError) { values = try await read([item], for: client) } catch {
            // The vault may have been locked while a person was asked. A client that learns it opens the vault first.
            await refreshState()
            guard error.cause == .locked || item.isLocked(in: state) else { throw error }
            throw locked(for: client)
        }
        guard let read = values[item.id] else { throw .noObject(item.path) }
        // The session may have been closed while a person was asked.
        let session = try sessions.session(sessionPath, of: client.name)
        return [try session.seal(read.value, contentType: read.contentType)]
    }

    private func set(_ item: ServiceItem, to received: ReceivedSecret, _ client: BusClient) async throws(ServiceError) {
        let value = try sessions.session(received.session, of: client.name)
            .open(parameters: received.parameters, value: received.value)
        guard let stored = item.stored else {
            try checkTransient(index.items(of: item.collection).filter { $0.id != item.id }, adding: value)
            try Self.check(contentType: received.contentType)
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
    /// - Parameter change: gets the item as it is known. It must change nothing if the item is in another state, because
    ///   another item may have the name.
    func changing(
        _ stored: ItemAttributes, _ change: @escaping (ItemAttributes) async throws(KeychainError) -> ItemAttributes
    ) async throws(ServiceError) {
        let id = ServiceItem.id(of: stored)
        try await inWriting(of: .item(id)) { () async throws(ServiceError) in
            for attempt in 1...StoreLimits.attempts {
                guard let current = self.vault[id], self.index.items[id] != nil else {
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
                await self.giveWay(after: attempt)
                try await self.lookAgain(at: current)
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
            // It may have been deleted since the call came.
            guard try await self.remove([item.id], intoBin: true) else { throw .noObject(item.path) }
        }
    }

    // MARK: Reading

    /// Reads values. If a person has to be asked, they are asked once for as many items as one prompt can name. A person
    /// who gives up, or does not answer in the time that the whole call has, is not asked for the others.
    /// - Returns: what could be read, if there is anything.
    /// - Throws: the first refusal, if nothing could be read; an error if the values do not fit into an answer.
    func read(_ items: [ServiceItem], for client: BusClient) async throws(ServiceError) -> [String: ReadSecret] {
        var reading = Reading(within: asking.answer)
        var open: [ItemAttributes] = []
        var gated: [ItemAttributes] = []
        for item in items {
            switch item.place {
            case .memory(let value, let type): reading.values[item.id] = ReadSecret(value: value, contentType: type)
            case .vault(let stored) where stored.access.requirements.isEmpty: open.append(stored)
            case .vault(let stored) where stored.access.needsApplicationPassword:
                reading.refuse(
                    ServiceError(
                        BusErrorName.notSupported, "the item has an application password; read it with: coffer get"))
            case .vault(let stored): gated.append(stored)
            }
        }
        for group in [open, gated] {
            for start in stride(from: 0, to: group.count, by: StoreLimits.readsAtOnce) {
                if reading.isOver { break }
                let chunk = Array(group[start..<min(start + StoreLimits.readsAtOnce, group.count)])
                await readTogether(chunk, for: client, &reading)
                // No more is read than can be given out.
                guard reading.bytes <= StoreLimits.answer else { throw .answerTooLarge }
            }
        }
        if reading.values.isEmpty, let refusal = reading.refusal { throw refusal }
        return reading.values
    }

    /// Reads items with one call, or in parts if they do not go together.
    private func readTogether(_ items: [ItemAttributes], for client: BusClient, _ reading: inout Reading) async {
        guard !reading.isOver, let first = items.first else { return }
        do throws(KeychainError) {
            reading.add(
                try await items.count > 1
                    ? ask(items, for: client, until: reading.deadline)
                    : askOne(first, for: client, until: reading.deadline))
        } catch {
            guard items.count > 1 else { return reading.refuse(ServiceError(error)) }
            if ReadParts.mayBeAboutOne(error.code) {
                // The broker does not say about which. Halves take fewer questions than each item by itself.
                let half = items.count / 2
                await readTogether(Array(items[..<half]), for: client, &reading)
                return await readTogether(Array(items[half...]), for: client, &reading)
            }
            var others = items
            // The broker gives out nothing if one of them is lost, and has asked nobody.
            if error.code == .biometryRefused {
                others = []
                for item in items {
                    if await isLost(item, for: client) { continue }
                    others.append(item)
                }
            }
            if others.count == items.count { others = ReadParts.others(of: items, after: error.code) }
            if others.count < items.count { await readTogether(others, for: client, &reading) }
            reading.refuse(ServiceError(error))
        }
    }

    /// Whether nobody can read an item any longer, because other fingers are enrolled. Nobody is asked.
    private func isLost(_ item: ItemAttributes, for client: BusClient) async -> Bool {
        guard item.access.requirements.contains(.biometryCurrentSet) else { return false }
        do throws(KeychainError) {
            for found in try await backend.read([item.name], readRequest(.never, for: client), in: .own) {
                Wipe.storage(of: found.value)
            }
            return false
        } catch { return error.code == .biometryRefused }
    }

    /// Reads one item. If another program renames it meanwhile, it is read by its new name.
    private func askOne(
        _ item: ItemAttributes, for client: BusClient, until deadline: ContinuousClock.Instant
    ) async throws(KeychainError) -> [String: ReadSecret] {
        var known = item
        // It may have got yet another name before the broker was asked for the new one.
        for _ in 1..<StoreLimits.attempts {
            do throws(KeychainError) { return try await ask([known], for: client, until: deadline) } catch {
                guard error.code == .notFound, let renamed = await renamed(known) else { throw error }
                known = renamed
            }
        }
        return try await ask([known], for: client, until: deadline)
    }

    private func readRequest(_ prompts: Prompts, for client: BusClient) -> ReadRequest {
        var wanted = ReadRequest(reason: client.reason, prompts: prompts, mayUnlock: false)
        // A lease of the program that has started this one is for its descendants, and not for every program on the bus.
        wanted.forOthers = true
        return wanted
    }

    private func ask(
        _ items: [ItemAttributes], for client: BusClient, until deadline: ContinuousClock.Instant
    ) async throws(KeychainError) -> [String: ReadSecret] {
        let asks = items.contains { !$0.access.requirements.isEmpty }
        let request = readRequest(asks ? Prompts.automatic.announcing(client.sentence) : .never, for: client)
        let backend = backend
        let read: @Sendable () async throws(KeychainError) -> [Item] = { () async throws(KeychainError) in
            try await backend.read(items.map(\.name), request, in: .own)
        }
        let found =
            asks ? try await askingPerson(within: ContinuousClock.now.duration(to: deadline), read) : try await read()
        var values: [String: ReadSecret] = [:]
        for (item, asked) in zip(found, items) {
            defer { Wipe.storage(of: item.value) }
            // An item of this name that is another one was not asked for.
            guard item.attributes.id == asked.id else {
                throw KeychainError(.notFound, "\(asked.name) was replaced meanwhile")
            }
            do throws(CryptographyError) {
                values[ServiceItem.id(of: asked)] = ReadSecret(
                    value: try SecretBytes(copying: item.value),
                    contentType: ServiceItem.contentType(of: item.attributes))
            } catch { throw KeychainError(.failed, error.reason) }
        }
        return values
    }
}

/// A secret that was read.
struct ReadSecret {
    let value: SecretBytes
    /// Of the same state as the value. The index may have an older one, or a newer one.
    let contentType: String
}

/// What a call has read so far.
private struct Reading {
    /// By the ids on the bus.
    var values: [String: ReadSecret] = [:]
    /// The first reason why something could not be read.
    private(set) var refusal: ServiceError?
    /// Whether the person has given up, or has not answered in time.
    private(set) var isOver = false
    /// When the last question of the call ends.
    let deadline: ContinuousClock.Instant

    init(within limit: Duration) { deadline = ContinuousClock.now + limit }

    var bytes: Int { values.values.reduce(0) { $0 + $1.value.count } }

    mutating func add(_ found: [String: ReadSecret]) { values.merge(found) { $1 } }

    mutating func refuse(_ error: ServiceError) {
        refusal = refusal ?? error
        isOver = isOver || error.cause == .cancelled || error.cause == .timedOut
    }
}

extension AccessControl {
    /// Whether nothing else opens the item. The bus has no way to ask for it.
    fileprivate var needsApplicationPassword: Bool {
        requirements.contains(.applicationPassword) && !anyIsEnough
    }
}
