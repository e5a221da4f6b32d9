import BrokerProtocol
import Glibc
import Platform

/// Items in the broker's vaults.
extension BrokerBackend {
    /// Implements ``KeychainBackend/read(_:_:in:)``.
    public func read(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item] {
        guard !items.isEmpty else { return [] }
        return try await shared(items, request, in: vault).copies
    }

    /// Implements ``KeychainBackend/withValue(of:_:in:_:)``. The value and its base64 are overwritten when nobody uses them.
    public func withValue<Result: Sendable>(
        of item: ItemName, _ request: ReadRequest, in vault: VaultName,
        _ body: (Span<UInt8>) throws(KeychainError) -> Result
    ) async throws(KeychainError) -> Result {
        try await shared([item], request, in: vault).withValue(body)
    }

    private func shared(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ReadItems {
        // A program that asks for others, and says so, answers none of them with another's read.
        guard request.prompts.announcement == nil else {
            return ReadItems(try await read(items, request, in: vault, nil))
        }
        let key = SharedReads.Key(items: items, request: request, vault: vault)
        return try await access.reads.items(key) { (sharing) throws(KeychainError) in
            try await read(items, request, in: vault, sharing)
        }
    }

    private func read(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName, _ sharing: SharedReads.Asking?
    ) async throws(KeychainError) -> [Item] {
        // A call for one item also takes an application password.
        guard items.count != 1, request.applicationPassword == nil, request.version == nil else {
            return [try await readOne(items, request, in: vault, sharing)]
        }
        let method = Wire.GetAll(
            items: items.map(\.wire), reason: request.reason, unlock: request.mayUnlock,
            forOthers: request.forOthers ? true : nil)
        let reply = try await call(
            method, in: vault, prompts: request.prompts, about: items.map(\.description).joined(separator: ", "),
            sharing: sharing)
        guard reply.items.count == items.count else {
            throw KeychainError(.protocolViolation, "the broker gave another number of items")
        }
        var found: [Item] = []
        for one in reply.items {
            found.append(Item(value: try Base64.take(one.value), attributes: try ItemAttributes(one.item)))
        }
        return found
    }

    private func readOne(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName, _ sharing: SharedReads.Asking?
    ) async throws(KeychainError) -> Item {
        guard items.count == 1 else {
            throw KeychainError(
                .invalidArgument, "an application password is for one item", advice: "read each item by itself")
        }
        let name = items[0]
        let method = Wire.Get(
            service: name.service, account: name.account, kind: name.wireKind,
            version: request.version.map(Int64.init), reason: request.reason,
            unlock: request.mayUnlock, applicationPassword: request.applicationPassword.map(Base64.encode),
            forOthers: request.forOthers ? true : nil)
        let reply = try await call(
            method, in: vault, prompts: request.prompts, about: "\(name)", sharing: sharing)
        return Item(value: try Base64.take(reply.value), attributes: try ItemAttributes(reply.item))
    }

    /// Implements ``KeychainBackend/set(_:to:if:prompts:in:)``.
    public func set(
        _ name: ItemName, to item: NewItem, if condition: ItemChange.Condition, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        let method = Wire.Set(
            service: name.service, account: name.account, kind: name.wireKind, value: Base64.encode(item.value),
            access: try item.access?.wire, label: item.label, comment: item.comment,
            attributes: item.attributes, expires: item.expires?.milliseconds(now: .now), mode: condition.mode,
            ifRevision: condition.revision, applicationPassword: item.applicationPassword.map(Base64.encode))
        return try ItemAttributes(
            try await call(method, in: vault, prompts: prompts, about: "\(name)").item)
    }

    /// Implements ``KeychainBackend/apply(_:prompts:in:)``. At most 128 changes, 2 MiB in one message.
    public func apply(
        _ changes: [ItemChange], prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome] {
        try await apply(changes, protection: .soon, prompts: prompts, in: vault)
    }

    /// Implements ``KeychainBackend/apply(_:protection:prompts:in:)``. At most 128 changes, 2 MiB in one message.
    public func apply(
        _ changes: [ItemChange], protection: RollbackProtection, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome] {
        guard !changes.isEmpty else { return [] }
        let now = Moment.now
        var wire: [Wire.Change] = []
        for change in changes { wire.append(try Wire.Change(change, now: now)) }
        // A broker that refuses a message for its length ends the connection, and the next call would find it ending.
        let values = wire.reduce(0) { $0 + ($1.value?.utf8.count ?? 0) }
        if values > MessageSize.small, try !MessageSize.fits(wire) { throw MessageSize.tooLong }
        let reply = try await call(
            Wire.Apply(changes: wire, rollback: protection == .later ? .later : nil), in: vault, prompts: prompts,
            about: "a change of \(changes.count) items")
        guard reply.results.count == changes.count else {
            throw KeychainError(.protocolViolation, "the broker gave another number of results")
        }
        return zip(changes, reply.results).map { change, result in
            guard case .set = change.action else { return ChangeOutcome(existedBefore: result.deleted > 0) }
            return ChangeOutcome(
                version: result.version.map(Int.init(clamping:)), revision: result.revision,
                existedBefore: result.replaced != nil)
        }
    }

    /// Implements ``KeychainBackend/deleteItems(of:itemClass:in:)``, in one transaction.
    public func deleteItems(
        of service: String, itemClass: ItemClass?, in vault: VaultName
    ) async throws(KeychainError) -> Int {
        let change = Wire.Change(action: .deleteService, service: service, kind: itemClass)
        let reply = try await call(
            Wire.Apply(changes: [change]), in: vault, prompts: .never, about: VisibleText.quoted(service))
        guard let result = reply.results.first else {
            throw KeychainError(.protocolViolation, "the broker gave no result")
        }
        return Int(clamping: result.deleted)
    }

    /// Implements ``KeychainBackend/edit(_:_:_:in:)``.
    public func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        let method = Wire.Edit(
            service: item.service, account: item.account, kind: item.wireKind,
            access: try edit.access?.checked,
            label: edit.label, comment: edit.comment, attributes: edit.attributes,
            expires: edit.expires?.milliseconds(now: .now), reason: request.reason, unlock: request.mayUnlock,
            applicationPassword: request.applicationPassword.map(Base64.encode))
        return try ItemAttributes(
            try await call(method, in: vault, prompts: request.prompts, about: "\(item)").item)
    }

    /// Implements ``KeychainBackend/rename(_:to:_:in:)``.
    public func rename(
        _ item: ItemName, to name: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        let method = Wire.Rename(
            service: item.service, account: item.account, kind: item.wireKind, newService: name.service,
            newAccount: name.account, reason: request.reason,
            unlock: request.mayUnlock, applicationPassword: request.applicationPassword.map(Base64.encode))
        return try ItemAttributes(
            try await call(method, in: vault, prompts: request.prompts, about: "\(item)").item)
    }

    /// Implements ``KeychainBackend/exists(_:in:)``.
    public func exists(_ item: ItemName, in vault: VaultName) async throws(KeychainError) -> Bool {
        try await call(Wire.Exists(service: item.service, account: item.account, kind: item.wireKind), in: vault).exists
    }

    /// Implements ``KeychainBackend/attributes(of:in:)``.
    public func attributes(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemAttributes {
        try ItemAttributes(
            try await call(
                Wire.Show(service: item.service, account: item.account, kind: item.wireKind), in: vault,
                about: "\(item)"
            ).item)
    }

    /// Implements ``KeychainBackend/history(of:in:)``.
    public func history(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> [ItemVersion] {
        let reply = try await call(
            Wire.History(service: item.service, account: item.account, kind: item.wireKind), in: vault,
            about: "\(item)")
        return reply.versions.map { former in
            ItemVersion(
                version: Int(clamping: former.version), setAt: Moment(milliseconds: former.set),
                droppedAt: Moment(milliseconds: former.until), access: former.access)
        }
    }

    /// Implements ``KeychainBackend/restore(_:version:_:in:)``.
    public func restore(
        _ item: ItemName, version: Int, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        let method = Wire.Restore(
            service: item.service, account: item.account, kind: item.wireKind, version: Int64(version),
            reason: request.reason, unlock: request.mayUnlock,
            applicationPassword: request.applicationPassword.map(Base64.encode))
        return try ItemAttributes(
            try await call(method, in: vault, prompts: request.prompts, about: "\(item)").item)
    }
}
