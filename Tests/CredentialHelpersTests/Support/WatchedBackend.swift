import Coffer
import CofferTestKit
import Synchronization

@testable import CredentialHelpers

/// A keychain in memory that takes note of calls, and fails those that a test wants to fail. It has a bin, too.
final class WatchedBackend: BinListing {
    enum Call: Sendable {
        case read, set, apply, edit
    }

    private struct State {
        var calls: [Call] = []
        var failures: [(call: Call, error: KeychainError)] = []
        var others: [(call: Call, body: @Sendable () async throws -> Void)] = []
        /// The item that was put there last comes first.
        var bin: [ItemAttributes] = []
    }

    let keychain: InMemoryKeychain
    private let state = Mutex(State())

    init(_ keychain: InMemoryKeychain) { self.keychain = keychain }

    /// The calls since the last look.
    func takeCalls() -> [Call] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    /// The next calls of this kind fail before they do anything.
    func fail(_ call: Call, _ code: KeychainError.Code, times: Int = 1) {
        state.withLock { state in
            for _ in 0..<times { state.failures.append((call, KeychainError(code, "as the test wants it"))) }
        }
    }

    /// Another program does this before the next call of this kind.
    func before(_ call: Call, _ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.others.append((call, body)) }
    }

    private func letOthers(before call: Call) async throws(KeychainError) {
        let other = state.withLock { state -> (@Sendable () async throws -> Void)? in
            guard let place = state.others.firstIndex(where: { $0.call == call }) else { return nil }
            return state.others.remove(at: place).body
        }
        do { try await other?() } catch { throw KeychainError(.failed, "what the test does meanwhile fails: \(error)") }
    }

    private func note(_ call: Call) throws(KeychainError) {
        let failure = state.withLock { state -> KeychainError? in
            state.calls.append(call)
            guard let place = state.failures.firstIndex(where: { $0.call == call }) else { return nil }
            return state.failures.remove(at: place).error
        }
        if let failure { throw failure }
    }

    func read(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item] {
        try await letOthers(before: .read)
        try note(.read)
        return try await keychain.read(items, request, in: vault)
    }

    func set(
        _ name: ItemName, to item: NewItem, if condition: ItemChange.Condition, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await letOthers(before: .set)
        try note(.set)
        return try await keychain.set(name, to: item, if: condition, prompts: prompts, in: vault)
    }

    func apply(
        _ changes: [ItemChange], prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome] {
        try await letOthers(before: .apply)
        try note(.apply)
        let items = try await keychain.items(matching: ItemQuery(), in: vault)
        let binned = changes.filter(\.goesIntoBin).compactMap { change in items.first { $0.name == change.name } }
        let outcomes = try await keychain.apply(changes, prompts: prompts, in: vault)
        state.withLock { $0.bin = binned + $0.bin }
        return outcomes
    }

    func deletedItems(of service: String, in vault: VaultName) async throws(KeychainError) -> [ItemAttributes] {
        state.withLock { $0.bin.filter { $0.service == service } }
    }

    func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try note(.edit)
        return try await keychain.edit(item, edit, request, in: vault)
    }

    func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, if condition: ItemChange.Condition,
        in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await letOthers(before: .edit)
        try note(.edit)
        return try await keychain.edit(item, edit, request, if: condition, in: vault)
    }

    // MARK: Passed on

    func items(matching query: ItemQuery, in vault: VaultName) async throws(KeychainError) -> [ItemAttributes] {
        try await keychain.items(matching: query, in: vault)
    }

    func status(of vault: VaultName) async throws(KeychainError) -> VaultStatus {
        try await keychain.status(of: vault)
    }

    func lock(_ vault: VaultName) async throws(KeychainError) { try await keychain.lock(vault) }

    func exists(_ item: ItemName, in vault: VaultName) async throws(KeychainError) -> Bool {
        try await keychain.exists(item, in: vault)
    }

    func attributes(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemAttributes {
        try await keychain.attributes(of: item, in: vault)
    }

    func rename(
        _ item: ItemName, to name: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await keychain.rename(item, to: name, request, in: vault)
    }

    func history(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> [ItemVersion] {
        try await keychain.history(of: item, in: vault)
    }

    func restore(
        _ item: ItemName, version: Int, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await keychain.restore(item, version: version, request, in: vault)
    }

    func unlock(_ vault: VaultName, prompts: Prompts) async throws(KeychainError) {
        try await keychain.unlock(vault, prompts: prompts)
    }

    func biometrics() async throws(KeychainError) -> Biometrics { try await keychain.biometrics() }

    func events(
        of service: String?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error> {
        try await keychain.events(of: service, in: vault)
    }
}
