import CofferClient
import Platform
import SystemBus

/// From a call to the method of an object.
extension Provider {
    /// An object that a call is about.
    enum Target {
        case folder([String])
        case service
        case collection(CollectionInfo)
        case item(ServiceItem)
        case session(String)
        case prompt(String)
        case portal
        case portalRequest(PortalRequest)

        /// nil for a folder, which has only the standard interfaces.
        var interface: Interface? {
            switch self {
            case .folder: nil
            case .service: .service
            case .collection: .collection
            case .item: .item
            case .session: .session
            case .prompt: .prompt
            case .portal: .portal
            case .portalRequest: .portalRequest
            }
        }
    }

    /// - Throws: `NoSuchObject`.
    func target(_ path: String) throws(ServiceError) -> Target {
        let found: Target? =
            switch ObjectPath(path) {
            case .folder(let names): .folder(names)
            case .service: .service
            case .collection(let id): collections[id].map { .collection($0) }
            case .alias(let name): collections.collection(aliased: name).map { .collection($0) }
            case .item(let collection, let id): item(id, in: collection).map { .item($0) }
            case .aliasedItem(let alias, let id):
                collections.collection(aliased: alias).flatMap { item(id, in: $0.id) }.map { .item($0) }
            case .session(let id): sessions.contains(id) ? .session(id) : nil
            case .prompt(let id): prompts[id] == nil ? nil : .prompt(id)
            case .portal: .portal
            case .portalRequest(let path): portalRequests[path].map { .portalRequest($0) }
            case nil: nil
            }
        guard let found else { throw .noObject(path) }
        return found
    }

    private func item(_ id: String, in collection: String) -> ServiceItem? {
        guard let item = index.items[id], item.collection == collection, !item.hasExpired(now: .now) else { return nil }
        return item
    }

    func dispatch(
        _ call: BusCall, from caller: Result<BusClient, CallerError>
    ) async throws(ServiceError) -> [BusValue] {
        let client: BusClient
        switch caller {
        case .success(let known): client = known
        case .failure(let error):
            // A script that locks and ends has left before the bus is asked who it was. Locking gives nothing away.
            guard error != .otherUser, call.locksVault else { throw error.serviceError }
            return try await lock(call)
        }
        if call.path.hasPrefix(ServiceName.root), call.member != "OpenSession" {
            do throws(ServiceError) { try await ready() } catch {
                guard needsNoBroker(call) else { throw error }
            }
        }
        let target = try target(call.path)
        if call.interface == ServiceName.internalGNOME {
            throw ServiceError(
                BusErrorName.notSupported, "a vault of Coffer has no password of its own; call Unlock instead")
        }
        let known = [target.interface].compactMap(\.self) + Interface.standard
        guard let interface = known.first(where: { $0.has(call) }) else {
            throw ServiceError(
                call.interface.isEmpty ? BusErrorName.unknownMethod : BusErrorName.unknownInterface,
                "\(call.path) has no \(call.interface.isEmpty ? call.member : call.interface)")
        }
        guard let method = interface.method(call.member) else {
            throw ServiceError(BusErrorName.unknownMethod, "\(interface.name) has no method \(call.member)")
        }
        guard method.signature == call.signature else {
            throw .invalid("\(call.member) takes (\(method.signature)), not (\(call.signature))")
        }
        switch (interface.name, target) {
        case (ServiceName.properties, _): return try await properties(call, target, client)
        case (ServiceName.introspectable, _): return [.text(introspection(of: target))]
        case (Interface.peer.name, _): return call.member == "Ping" ? [] : [.text(try Self.machineID())]
        case (_, .service): return try await service(call, client)
        case (_, .collection(let collection)): return try await self.collection(call, collection, client)
        case (_, .item(let item)): return try await self.item(call, item, client)
        case (_, .session):
            guard call.member == "Close" else { throw Self.unknown(call) }
            sessions.close(try sessions.session(call.path, of: client.name))
            return []
        case (_, .prompt(let id)): return try prompt(call, id, client)
        case (_, .portal): return try await retrieveSecret(call, client)
        case (_, .portalRequest(let request)): return try close(request, client)
        case (_, .folder): throw ServiceError(BusErrorName.unknownMethod, "this object has no such method")
        }
    }

    /// Whether a call is answered from what the provider has in memory. An object that is not known may be in the vault.
    private func needsNoBroker(_ call: BusCall) -> Bool {
        // `try?`: then the reason why the broker cannot be reached is the better answer.
        guard let found = try? target(call.path) else { return false }
        if [Interface.introspectable, .peer].contains(where: { $0.has(call) }) { return true }
        switch found {
        case .session: return true
        case .prompt: return call.member == "Dismiss"
        case .collection, .item: return isTransient(call.path)
        case .service:
            guard ["GetSecrets", "Unlock"].contains(call.member), let paths = call.arguments.first?.paths else {
                return false
            }
            return !paths.isEmpty && paths.allSatisfy { isTransient($0) }
        case .folder, .portal, .portalRequest: return false
        }
    }

    /// Whether this is the `session` collection, or an item of it.
    private func isTransient(_ path: String) -> Bool {
        // `try?`: an object that is not known may be in the vault.
        switch try? target(path) {
        case .collection(let collection): collection.isTransient
        case .item(let item): item.stored == nil
        default: false
        }
    }

    /// sd-bus answers calls that name the interface. The bus lets callers leave it out.
    private static func machineID() throws(ServiceError) -> String {
        do throws(SystemError) {
            let bytes = try DurableFile.read("/etc/machine-id", limit: StoreLimits.machineID)
            return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        } catch { throw ServiceError(BusErrorName.failed, ServiceError.product + error.description) }
    }

    /// An object's interface names this method, but nothing serves it.
    static func unknown(_ call: BusCall) -> ServiceError {
        ServiceError(BusErrorName.unknownMethod, "\(call.path) has no \(call.member)")
    }

    private func introspection(of target: Target) -> String {
        let children: [String] =
            switch target {
            case .folder(let names): names
            case .service:
                collections.all.map { "collection/\($0.id)" }
                    + collections.aliases.filter { collections[$0.value] != nil && ObjectPath.isWord($0.key) }.keys
                    .sorted()
                    .map { "aliases/\($0)" }
                    + sessions.ids.map { "session/\($0)" } + prompts.ids.map { "prompt/\($0)" }
            case .collection(let collection): index.items(of: collection.id).map(\.id)
            case .item, .session, .prompt, .portal, .portalRequest: []
            }
        let interfaces = ([target.interface].compactMap(\.self) + Interface.standard).map(\.xml)
        let header = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            """
        return ([header, "<node>"] + interfaces + children.map { "  <node name=\"\($0)\"/>" } + ["</node>\n"])
            .joined(separator: "\n")
    }
}
