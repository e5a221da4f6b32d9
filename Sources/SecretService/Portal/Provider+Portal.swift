import Cryptography
import Platform
import SystemBus

/// Methods of `org.freedesktop.impl.portal.Secret`: one secret for each application in a sandbox, with which it encrypts its own files.
extension Provider {
    /// Gives an application its secret, and makes one the first time.
    func retrieveSecret(_ call: BusCall, _ client: BusClient) async throws(ServiceError) -> [BusValue] {
        try checkFrontEnd(client)
        guard let path = call.arguments[0].path, let id = call.arguments[1].text,
            let number = call.arguments[2].descriptor
        else { throw .invalid("RetrieveSecret takes a path, an id and a descriptor") }
        let application = try PortalApplication(id)
        guard case .portalRequest = ObjectPath(path), portalRequests[path] == nil else {
            throw .invalid("\(path) is no new request")
        }
        guard portalRequests.count(of: client.name) < PortalLimits.requests else {
            throw .limit("too many requests are open")
        }
        let delivery: SecretDelivery
        do throws(SystemError) { delivery = try SecretDelivery(to: number) } catch {
            throw ServiceError(BusErrorName.failed, ServiceError.product + error.description)
        }
        var asked = client
        asked.application = id.isEmpty ? nil : id
        let asker = asked
        let task = Task { () async -> Result<SecretBytes, ServiceError> in
            do throws(ServiceError) { return .success(try await secret(of: application, asker)) } catch {
                return .failure(error)
            }
        }
        portalRequests.begin(PortalRequest(path: path, owner: client.name) { task.cancel() })
        defer { portalRequests.end(path, of: client.name) }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return [.number(finish(result, delivery, task.isCancelled, asker).rawValue), .array(of: "{sv}", [])]
    }

    /// The application closes its request.
    func close(_ request: PortalRequest, _ client: BusClient) throws(ServiceError) -> [BusValue] {
        guard request.owner == client.name else { throw .noObject(request.path) }
        request.cancel()
        return []
    }

    /// The application's id is only the caller's word, so the caller must be the front end, which knows the sandbox.
    private func checkFrontEnd(_ client: BusClient) throws(ServiceError) {
        let owner: String?
        do throws(BusError) { owner = try server.owner(of: ServiceName.portalFrontEnd) } catch {
            throw ServiceError(BusErrorName.accessDenied, "the bus does not say who the portal is: \(error.reason)")
        }
        guard owner == client.name else {
            throw ServiceError(BusErrorName.accessDenied, "only \(ServiceName.portalFrontEnd) may ask for applications")
        }
    }

    private func secret(of application: PortalApplication, _ client: BusClient) async throws(ServiceError)
        -> SecretBytes
    {
        try await ready()
        await refreshState()
        if state != .unlocked { try await openVault(for: client) }
        if let item = item(of: application) { return try await read(item, client) }
        // Two requests of an application get the same secret.
        let item = try await inWriting(of: .portalSecret(application.id)) { () async throws(ServiceError) in
            if let item = self.item(of: application) { return item }
            guard let login = self.collections[CollectionInfo.defaultID] else {
                throw .noObject(ServiceName.portalRoot)
            }
            let value: SecretBytes
            do throws(CryptographyError) {
                value = try SecretBytes(copying: try Random.bytes(PortalLimits.secret))
            } catch { throw ServiceError(error) }
            return try await self.store(
                ItemDraft(
                    label: application.label, attributes: application.attributes, value: value,
                    contentType: "application/octet-stream", replaces: false), in: login)
        }
        return try await read(item, client)
    }

    /// The oldest one, so that no item that somebody adds takes its place.
    private func item(of application: PortalApplication) -> ServiceItem? {
        index.search(application.query, in: CollectionInfo.defaultID).items.filter(application.owns)
            .min { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    private func read(_ item: ServiceItem, _ client: BusClient) async throws(ServiceError) -> SecretBytes {
        guard let read = try await read([item], for: client)[item.id] else { throw .noObject(item.path) }
        return read.value
    }

    private func finish(
        _ result: Result<SecretBytes, ServiceError>, _ delivery: consuming SecretDelivery, _ isClosed: Bool,
        _ client: BusClient
    ) -> PortalResponse {
        if isClosed { return .cancelled }
        let error: ServiceError
        switch result {
        case .success(let secret):
            do throws(SystemError) {
                try delivery.write(secret)
                return .success
            } catch let failure { error = ServiceError(BusErrorName.failed, failure.description) }
        case .failure(let failure): error = failure
        }
        if error.cause == .cancelled { return .cancelled }
        report(error, client)
        return .other
    }
}
