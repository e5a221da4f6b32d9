import CofferClient
import Cryptography
import SystemBus

/// Methods of `org.freedesktop.Secret.Service`.
extension Provider {
    func service(_ call: BusCall, _ client: BusClient) async throws(ServiceError) -> [BusValue] {
        let arguments = call.arguments
        switch call.member {
        case "OpenSession": return try openSession(arguments[0].text ?? "", arguments[1].contents, client)
        case "CreateCollection":
            return try await createCollection(arguments[0].variants ?? [:], alias: arguments[1].text ?? "", client)
        case "SearchItems":
            await refreshState()
            let found = index.search(arguments[0].dictionary ?? [:]).items
            return [
                .paths(found.filter { !$0.isLocked(in: state) }.map(\.path)),
                .paths(found.filter { $0.isLocked(in: state) }.map(\.path)),
            ]
        case "Unlock":
            await refreshState()
            return try unlock(arguments[0].paths ?? [], client)
        case "Lock", "LockService": return try await lock(call)
        case "GetSecrets": return try await secrets(arguments[0].paths ?? [], arguments[1].path ?? "", client)
        case "ReadAlias":
            let collection = collections.collection(aliased: arguments[0].text ?? "")
            return [.path(collection?.path ?? ServiceName.none)]
        case "SetAlias": return try await setAlias(arguments[0].text ?? "", arguments[1].path ?? "", client)
        default:
            throw ServiceError(
                BusErrorName.notSupported,
                "a vault of Coffer has no password of its own; change the login's with passwd")
        }
    }

    private func openSession(
        _ name: String, _ input: BusValue?, _ client: BusClient
    ) throws(ServiceError) -> [BusValue] {
        guard let algorithm = SessionAlgorithm(rawValue: name) else {
            throw ServiceError(BusErrorName.notSupported, "this algorithm is not supported")
        }
        let (output, key) = try algorithm.negotiate(input)
        let session = try sessions.open(owner: client.name, key: key)
        return [.variant(output), .path(session.path)]
    }

    /// Objects that do not exist are passed over.
    private func unlock(_ paths: [String], _ client: BusClient) throws(ServiceError) -> [BusValue] {
        let present = paths.compactMap { path in lockState(path).map { (path, $0) } }
        let unlocked = present.filter { !$0.1 }.map(\.0)
        let locked = present.filter(\.1).map(\.0)
        guard !locked.isEmpty else { return [.paths(unlocked), .path(ServiceName.none)] }
        let prompt = try prompts.add(owner: client.name, dismissed: .paths([])) { () async throws(ServiceError) in
            try await self.openVault(for: client)
            return .paths(locked)
        }
        return [.paths(unlocked), .path(prompt.path)]
    }

    /// Whether an object is locked; nil for what is neither a collection nor an item.
    private func lockState(_ path: String) -> Bool? {
        // An object that does not exist has no state.
        switch try? target(path) {
        case .collection(let collection): isLocked(collection)
        case .item(let item): item.isLocked(in: state)
        default: nil
        }
    }

    func isLocked(_ collection: CollectionInfo) -> Bool { !collection.isTransient && state != .unlocked }

    /// `Lock` and `LockService`.
    func lock(_ call: BusCall) async throws(ServiceError) -> [BusValue] {
        guard call.member == "Lock" else {
            try await lockVault()
            return []
        }
        try await ready()
        return try await lock(call.arguments[0].paths ?? [])
    }

    /// A vault is locked as a whole. The `session` collection cannot be locked.
    private func lock(_ paths: [String]) async throws(ServiceError) -> [BusValue] {
        let stored = paths.filter { path in
            // An object that does not exist cannot be locked.
            switch try? target(path) {
            case .collection(let collection): !collection.isTransient
            case .item(let item): item.stored != nil
            default: false
            }
        }
        if !stored.isEmpty { try await lockVault() }
        return [.paths(stored), .path(ServiceName.none)]
    }

    private func lockVault() async throws(ServiceError) {
        await refreshState()
        if state == .none { return }
        do throws(KeychainError) { try await backend.lock(.own) } catch { throw ServiceError(error) }
        if state == .unlocked { change(state: .locked) }
    }

    /// Leaves out items that are locked, that are not there, or that the person did not allow to read. The answer names
    /// each by the path that the client asked for.
    /// - Throws: the reason, if none of the items is there or the person allowed none; an error if the answer is too
    ///   large.
    private func secrets(
        _ paths: [String], _ sessionPath: String, _ client: BusClient
    ) async throws(ServiceError) -> [BusValue] {
        _ = try sessions.session(sessionPath, of: client.name)
        await refreshState()
        var found: [String: ServiceItem] = [:]
        for path in paths {
            // `try?`: an item that does not exist is passed over.
            if case .item(let item)? = try? target(path) { found[path] = item }
        }
        if found.isEmpty, let first = paths.first { throw .noObject(first) }
        found = found.filter { !$0.value.isLocked(in: state) }
        let items = Dictionary(found.values.map { ($0.id, $0) }) { one, _ in one }
        let values: [String: ReadSecret]
        do throws(ServiceError) {
            values = try await read(items.values.sorted { $0.id < $1.id }, for: client)
        } catch {
            // The vault may have been locked while a person was asked. Then all are left out, as they were before.
            await refreshState()
            guard items.values.allSatisfy({ $0.isLocked(in: state) }) else { throw error }
            values = [:]
        }
        // The session may have been closed while a person was asked.
        let session = try sessions.session(sessionPath, of: client.name)
        var (entries, bytes) = ([BusValue](), 0)
        for (path, item) in found {
            guard let read = values[item.id] else { continue }
            bytes += read.value.count
            guard bytes <= StoreLimits.answer else { throw .answerTooLarge }
            entries.append(.entry(.path(path), try session.seal(read.value, contentType: read.contentType)))
        }
        return [.array(of: "{o(oayays)}", entries)]
    }

    private func setAlias(
        _ name: String, _ path: String, _ client: BusClient
    ) async throws(ServiceError) -> [BusValue] {
        guard ObjectPath.isAlias(name) else {
            throw .invalid("an alias has letters, digits, hyphens and underscores, \(StoreLimits.aliasLength) at most")
        }
        guard name != CollectionInfo.sessionID else {
            throw ServiceError(BusErrorName.notSupported, "the alias session cannot be changed")
        }
        await refreshState()
        // Aliases are kept in the vault, and Unlock makes one.
        guard state != .none else { throw locked(for: client) }
        try await inWriting(of: .records) { () async throws(ServiceError) in
            try await self.changeAliases { (aliases: inout [String: String]) throws(ServiceError) -> Bool in
                if path == ServiceName.none {
                    guard aliases[name] != nil else { return false }
                    // Without an entry, one of these would be there again.
                    aliases[name] = CollectionTable.builtInAliases.contains(name) ? ServiceName.none : nil
                    return true
                }
                guard case .collection(let collection) = try self.target(path) else { throw .noObject(path) }
                guard !collection.isTransient else {
                    throw ServiceError(BusErrorName.notSupported, "the session collection has no other alias")
                }
                try self.checkIsThere(collection)
                aliases[name] = collection.id
                return true
            }
        }
        return []
    }
}
