import Coffer

/// Records that all machines of a person share, each with one of four strategies for changes at the same time.
///
/// ```swift
/// let notes = SyncedRecords<Note>(keychain: Keychain(service: "com.example.notes"), strategy: .lastWriter)
/// try await notes.save(Note(title: "Milk"), as: "shopping")
/// try await notes.decide()
/// let note = try await notes.record("shopping")
/// ```
///
/// Each record is an item of the keychain, so it is encrypted for the machines of the circle alone. Call ``decide()``
/// after changes (`Keychain.changes()`): it applies the strategy, and what it decides goes to all machines.
public struct SyncedRecords<Record: Codable & Sendable>: Sendable {
    /// The items that the records are in.
    public let keychain: Keychain
    /// What becomes of changes at the same time.
    public let strategy: RecordStrategy<Record>

    /// A record as it is stored.
    private struct Stored: Codable {
        var record: Record
        /// Whether a strategy has made it. It never decides about its own results again.
        var isDecided: Bool?
    }

    /// - Parameter keychain: names the service and the vault. Everything in the service is a record.
    public init(keychain: Keychain, strategy: RecordStrategy<Record> = .lastWriter) {
        self.keychain = keychain
        self.strategy = strategy
    }

    /// A record as all machines show it.
    /// - Throws: `.notFound`, `.notDecodable`, `.locked`.
    public func record(_ id: String) async throws(KeychainError) -> Record {
        try await keychain.value(Stored.self, for: id).record
    }

    /// The ids of all records, in order.
    public func ids() async throws(KeychainError) -> [String] { try await keychain.accounts() }

    /// Stores a record. It replaces what this machine has of it, and goes to the others with the vault's next exchange.
    public func save(_ record: Record, as id: String) async throws(KeychainError) {
        try await keychain.set(value: Stored(record: record), for: id)
    }

    /// Deletes a record on all machines. One that another machine changes at the same time stays.
    /// - Returns: whether there was one.
    @discardableResult
    public func delete(_ id: String) async throws(KeychainError) -> Bool { try await keychain.delete(id) }

    /// Whether the other machines can have a record as it is here: no change of it waits.
    /// - Throws: `.notFound`.
    public func isSynced(_ id: String) async throws(KeychainError) -> Bool { try await keychain.isSynced(id) }

    /// Applies the strategy to every record that several machines have changed at the same time. What it decides is a
    /// change of this machine, which replaces the others' with the vault's next exchange.
    /// - Returns: the ids of the records that it decided, in order.
    /// - Throws: `.locked`.
    @discardableResult
    public func decide() async throws(KeychainError) -> [String] {
        var decided: [String] = []
        for conflict in try await keychain.conflicts() where conflict.part == .field(.secret) {
            do throws(KeychainError) {
                if try await decide(conflict) { decided.append(conflict.name.account) }
            } catch {
                // Somebody has changed or deleted it meanwhile. There is nothing to decide, or the next call does.
                guard error.code == .changedMeanwhile || error.code == .notFound else { throw error }
            }
        }
        return decided.sorted()
    }

    private func decide(_ conflict: ItemConflict) async throws(KeychainError) -> Bool {
        let account = conflict.name.account
        let before = try await keychain.attributes(of: account)
        var revisions: [(made: ItemConflict.Revision, stored: Stored)] = []
        for revision in conflict.revisions where revision.isReadable {
            let bytes = try await keychain.bytes(of: revision, in: conflict)
            // `try?`: what another program has stored is no record.
            guard let stored = try? ItemCoding.decode(Stored.self, bytes, conflict.name) else { continue }
            revisions.append((revision, stored))
        }
        guard let shown = revisions.first else { return false }
        // Two results of a strategy: the last one counts.
        let results = revisions.filter { $0.stored.isDecided ?? false }
        if let last = results.first, results.count > 1 {
            try await keychain.resolve(conflict, taking: last.made)
            return true
        }
        let mine = revisions.first(where: \.made.isOwn)
        let theirs = revisions.filter { !$0.made.isOwn }
        let record: Record
        switch strategy.rule {
        case .lastWriter:
            try await keychain.resolve(conflict, taking: shown.made)
            return true
        case .local:
            // A machine that has not changed it leaves the decision to those that have.
            guard let mine else { return false }
            record = mine.stored.record
        case .remote:
            guard mine != nil, let first = theirs.first else { return false }
            record = first.stored.record
        case .merge(let body):
            guard let mine else { return false }
            record = theirs.reduce(mine.stored.record) { body($0, $1.stored.record) }
        }
        try await keychain.set(
            value: Stored(record: record, isDecided: true), for: account, if: .isUnchanged(since: before))
        return true
    }
}
