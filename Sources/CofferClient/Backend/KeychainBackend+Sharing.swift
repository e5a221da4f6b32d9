extension KeychainBackend {
    /// No other machine: what a backend has that shares nothing.
    public func sharing(in vault: VaultName) async throws(KeychainError) -> SharingState { SharingState() }

    /// An item of a backend that shares nothing stays here.
    public func sharing(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemSharing { .local }

    /// No conflicts.
    public func conflicts(in vault: VaultName) async throws(KeychainError) -> [ItemConflict] { [] }

    /// There is no such value.
    public func read(
        _ revision: String, of conflict: ItemConflict, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [UInt8] { throw .noSuchRevision }

    /// There is nothing to decide.
    public func resolve(
        _ conflict: ItemConflict, taking revision: String, in vault: VaultName
    ) async throws(KeychainError) { throw .noSuchRevision }

    /// The events of items of all classes but settings.
    public func events(
        of service: String?, itemClass: ItemClass?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error> {
        try await events(of: service, in: vault)
    }
}

extension KeychainError {
    package static let noSuchRevision = KeychainError(
        .changedMeanwhile, "this is no longer one of several: somebody has decided, or changed it, since",
        advice: "ask for the conflicts again")
}
