/// What other machines make of the service's items. Nobody is asked.
extension Keychain {
    /// With which machines the vault shares its items.
    public func sharing() async throws(KeychainError) -> SharingState { try await backend.sharing(in: vault) }

    /// How far an account's item has come on its way to the other machines.
    /// - Throws: `.notFound`.
    public func sharing(of account: String) async throws(KeychainError) -> ItemSharing {
        try await backend.sharing(of: name(account), in: vault)
    }

    /// Whether the other machines can have an account's item as it is here: it travels, and no change of it waits.
    /// ```swift
    /// let hasLeft = try await keychain.isSynced("note-7")
    /// ```
    /// - Throws: `.notFound`.
    public func isSynced(_ account: String) async throws(KeychainError) -> Bool {
        switch try await sharing(of: account) {
        case .local, .waiting: false
        case .givenOut, .everywhere: true
        }
    }

    /// What several machines have changed at the same time, of the service's items of the keychain's class.
    /// - Throws: `.locked`.
    public func conflicts() async throws(KeychainError) -> [ItemConflict] {
        try await backend.conflicts(in: vault).filter {
            $0.name.itemClass == itemClass && $0.name.service.utf8.elementsEqual(service.utf8)
        }
    }

    /// The value of one revision in a conflict about a field.
    /// - Throws: `.changedMeanwhile` if it is no longer one of several; `.locked`.
    public func bytes(
        of revision: ItemConflict.Revision, in conflict: ItemConflict
    ) async throws(KeychainError) -> [UInt8] {
        try await backend.read(revision.id, of: conflict, request(nil), in: vault)
    }

    /// Ends a conflict for all machines: they show this revision from then on.
    /// - Throws: `.changedMeanwhile` if it is no longer one of several; `.locked`.
    public func resolve(
        _ conflict: ItemConflict, taking revision: ItemConflict.Revision
    ) async throws(KeychainError) {
        try await backend.resolve(conflict, taking: revision.id, in: vault)
    }

    /// The conflicts that begin and end, first those that there are already.
    /// ```swift
    /// for try await change in try await keychain.conflictChanges() {
    ///     if case .began(let conflict) = change { print(conflict.name) }
    /// }
    /// ```
    /// While the vault is locked, nobody can tell, and the next change comes after an unlock.
    /// - Throws: the sequence throws ``KeychainError`` when the broker can no longer be heard.
    public func conflictChanges() async throws(KeychainError) -> AsyncThrowingStream<ConflictChange, any Error> {
        let watch = ConflictWatch(self, try await backend.events(of: service, itemClass: itemClass, in: vault))
        return AsyncThrowingStream { try await watch.next() }
    }
}

/// A conflict began or ended. See ``Keychain/conflictChanges()``.
///
/// ```swift
/// for try await change in try await keychain.conflictChanges() {
///     if case .ended(let conflict) = change { print(conflict.name.account) }
/// }
/// ```
public enum ConflictChange: Sendable, Hashable {
    /// Several machines have changed this at the same time, or one more has.
    case began(ItemConflict)
    /// Somebody has decided, or has changed it again.
    case ended(ItemConflict)
}

/// Compares the conflicts after each event with those before it.
private actor ConflictWatch {
    private let keychain: Keychain
    private let events: AsyncThrowingStream<KeychainEvent, any Error>
    private var known: [ItemConflict] = []
    private var changes: [ConflictChange] = []
    private var hasBegun = false

    init(_ keychain: Keychain, _ events: AsyncThrowingStream<KeychainEvent, any Error>) {
        self.keychain = keychain
        self.events = events
    }

    /// There is one reader.
    func next() async throws -> ConflictChange? {
        if !hasBegun {
            hasBegun = true
            try await look()
        }
        while changes.isEmpty {
            var iterator = events.makeAsyncIterator()
            guard let event = try await iterator.next(isolation: self) else { return nil }
            if event != .locked { try await look() }
        }
        return changes.removeFirst()
    }

    private func look() async throws {
        let present: [ItemConflict]
        do throws(KeychainError) { present = try await keychain.conflicts() } catch {
            // An event follows once it is unlocked.
            guard error.code == .locked else { throw error }
            return
        }
        changes += known.filter { !present.contains($0) }.filter { old in !present.contains { old.isAbout($0) } }
            .map(ConflictChange.ended)
        changes += present.filter { !known.contains($0) }.map(ConflictChange.began)
        known = present
    }
}

extension ItemConflict {
    fileprivate func isAbout(_ other: ItemConflict) -> Bool { item == other.item && part == other.part }
}
