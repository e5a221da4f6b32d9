import BrokerProtocol

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
        return try await call(
            ItemCall.readAll(items.map { PartialName($0) }, request), in: vault, prompts: request.prompts,
            about: items.map(\.description).joined(separator: ", "), sharing: sharing)
    }

    /// Implements `KeychainBackend.read(_:of:_:in:)`, with one prompt.
    public func read(
        _ fields: [FieldName], of item: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item] {
        if let request = request.single(of: fields) { return try await read([item], request, in: vault) }
        return try await call(
            ItemCall.readAll(fields.map { PartialName(item).with($0) }, request), in: vault, prompts: request.prompts,
            about: "\(item)")
    }

    private func readOne(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName, _ sharing: SharedReads.Asking?
    ) async throws(KeychainError) -> Item {
        guard items.count == 1 else {
            throw KeychainError(
                .invalidArgument, "an application password is for one item", advice: "read each item by itself")
        }
        return try await call(
            ItemCall.read(PartialName(items[0]), request), in: vault, prompts: request.prompts, about: "\(items[0])",
            sharing: sharing)
    }

    /// Implements ``KeychainBackend/set(_:to:if:prompts:in:)``.
    public func set(
        _ name: ItemName, to item: NewItem, if condition: ItemChange.Condition, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await call(ItemCall.set(name, to: item, if: condition), in: vault, prompts: prompts, about: "\(name)")
            .attributes
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
        return try await call(
            ItemCall.apply(changes, protection: protection), in: vault, prompts: prompts,
            about: "a change of \(changes.count) items")
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
        try await call(
            ItemCall.edit(item, edit, request), in: vault, prompts: request.prompts, about: "\(item)")
    }

    /// Implements ``KeychainBackend/edit(_:_:_:if:in:)``, in one transaction.
    public func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, if condition: ItemChange.Condition,
        in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await call(
            ItemCall.edit(item, edit, request, if: condition), in: vault, prompts: request.prompts, about: "\(item)")
    }

    /// Implements ``KeychainBackend/rename(_:to:_:in:)``.
    public func rename(
        _ item: ItemName, to name: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await call(
            ItemCall.rename(item, to: name, request), in: vault, prompts: request.prompts, about: "\(item)")
    }

    /// Implements ``KeychainBackend/exists(_:in:)``.
    public func exists(_ item: ItemName, in vault: VaultName) async throws(KeychainError) -> Bool {
        try await call(ItemCall.exists(PartialName(item)), in: vault)
    }

    /// Implements ``KeychainBackend/attributes(of:in:)``.
    public func attributes(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemAttributes {
        try await call(ItemCall.attributes(of: PartialName(item)), in: vault, about: "\(item)")
    }

    /// Implements ``KeychainBackend/history(of:in:)``.
    public func history(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> [ItemVersion] {
        try await call(ItemCall.history(of: PartialName(item)), in: vault, about: "\(item)").versions
    }

    /// Implements ``KeychainBackend/restore(_:version:_:in:)``.
    public func restore(
        _ item: ItemName, version: Int, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await call(
            ItemCall.restore(item, version: version, request), in: vault, prompts: request.prompts, about: "\(item)")
    }
}
