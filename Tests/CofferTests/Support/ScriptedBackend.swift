import Coffer
import Foundation
import Synchronization

/// A keychain in memory that fails, waits and locks as a test wants it.
final class ScriptedBackend: KeychainBackend {
    struct State {
        var items: [ItemName: Item] = [:]
        var vault = VaultStatus.State.unlocked
        var now = Date(timeIntervalSince1970: 1_000_000)
        /// The error of every call; nil for none.
        var failure: KeychainError?
        /// The change of a call of `apply` that fails, from 0.
        var failingChange: Int?
        /// What each call of `apply` changed.
        var applied: [[ItemName]] = []
        /// How each of them is protected against an older copy of the file.
        var protections: [RollbackProtection] = []
        /// What each call of `read` named.
        var reads: [[ItemName]] = []
        /// How often a person was asked.
        var prompts = 0
        /// Runs once, before the next read.
        var beforeRead: (@Sendable () async throws -> Void)?
        /// Runs before each call for events.
        var beforeEvents: (@Sendable () async -> Void)?
        /// Runs once, after the next look at several items, before its answer arrives.
        var afterLook: (@Sendable () async throws -> Void)?
        var listeners: [AsyncThrowingStream<KeychainEvent, any Error>.Continuation] = []
        var ids = 0
    }

    private let state = Mutex(State())

    func edit<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    var now: @Sendable () -> Date { { self.edit { $0.now } } }

    /// Moves the time on.
    func advance(by seconds: Double) { edit { $0.now.addTimeInterval(seconds) } }

    /// Tells everybody who listens.
    func tell(_ event: KeychainEvent) {
        for listener in edit({ $0.listeners }) { listener.yield(event) }
    }

    /// Ends the events, as a broker does that goes away.
    func endEvents() {
        let listeners = edit { state in
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener.finish(throwing: KeychainError(.brokerUnreachable, "gone")) }
    }

    func setVault(_ vault: VaultStatus.State) {
        edit { $0.vault = vault }
        tell(vault == .unlocked ? .unlocked : .locked)
    }

    private func call<Result: Sendable>(
        _ body: (inout State) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try state.withLock { (state) throws(KeychainError) in
            if let failure = state.failure { throw failure }
            return try body(&state)
        }
    }

    func read(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item] {
        let before = edit { state in
            defer { state.beforeRead = nil }
            return state.beforeRead
        }
        do { try await before?() } catch { throw KeychainError(.cancelled, "cancelled") }
        return try call { (state) throws(KeychainError) in
            state.reads.append(items)
            var found: [Item] = []
            for name in items {
                guard let item = state.items[name], item.attributes.expires.map({ $0 > state.now }) ?? true else {
                    throw KeychainError(.notFound, "there is no \(name)")
                }
                found.append(item)
            }
            let asks = found.contains { !$0.attributes.access.requirements.isEmpty }
            let opens = state.vault != .unlocked
            if opens, !request.mayUnlock { throw KeychainError(.locked, "the vault is locked") }
            if asks || opens { state.prompts += 1 }
            return found
        }
    }

    func exists(_ item: ItemName, in vault: VaultName) async throws(KeychainError) -> Bool {
        do throws(KeychainError) { _ = try await attributes(of: item, in: vault) } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
        return true
    }

    func set(
        _ name: ItemName, to item: NewItem, if condition: ItemChange.Condition, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        _ = try await apply([ItemChange(name, .set(item), if: condition)], prompts: prompts, in: vault)
        return try await attributes(of: name, in: vault)
    }

    func apply(
        _ changes: [ItemChange], prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome] {
        try await apply(changes, protection: .soon, prompts: prompts, in: vault)
    }

    func apply(
        _ changes: [ItemChange], protection: RollbackProtection, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome] {
        try call { (state) throws(KeychainError) in
            var items = state.items
            var outcomes: [ChangeOutcome] = []
            for (index, change) in changes.enumerated() {
                if index == state.failingChange { throw KeychainError(.failed, "this change fails") }
                let old = items[change.name]
                try Self.check(change.condition, old)
                switch change.action {
                case .delete:
                    items[change.name] = nil
                    outcomes.append(ChangeOutcome(existedBefore: old != nil))
                case .set(let new):
                    if old == nil { state.ids += 1 }
                    let item = Self.item(new, change.name, old, id: "\(state.ids)", now: state.now)
                    items[change.name] = item
                    outcomes.append(
                        ChangeOutcome(
                            version: item.attributes.version, revision: item.attributes.revision,
                            existedBefore: old != nil))
                }
            }
            state.items = items
            state.applied.append(changes.map(\.name))
            state.protections.append(protection)
            return outcomes
        }
    }

    private static func check(_ condition: ItemChange.Condition, _ old: Item?) throws(KeychainError) {
        switch condition {
        case .none: break
        case .isAbsent: if old != nil { throw KeychainError(.alreadyExists, "it is there") }
        case .isPresent: if old == nil { throw KeychainError(.notFound, "it is not there") }
        case .isUnchanged(let revision):
            guard let old, old.attributes.revision == revision else {
                throw KeychainError(.changedMeanwhile, "it is another one")
            }
        }
    }

    private static func item(_ new: NewItem, _ name: ItemName, _ old: Item?, id: String, now: Date) -> Item {
        let expires: Date? =
            switch new.expiry {
            case nil: old?.attributes.expires
            case .never: nil
            case .at(let date): date
            case .after(let lifetime): now.addingTimeInterval(lifetime / .seconds(1))
            }
        return Item(
            value: new.value,
            attributes: ItemAttributes(
                id: old?.attributes.id ?? id, name: name,
                attributes: new.attributes ?? old?.attributes.attributes ?? [:],
                access: new.access ?? old?.attributes.access ?? .whenUnlocked,
                created: old?.attributes.created ?? now, modified: now, expires: expires,
                version: (old?.attributes.version ?? 0) + 1,
                revision: "\(id).\((old?.attributes.version ?? 0) + 1)"))
    }

    func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes { throw Self.unused }

    func rename(
        _ item: ItemName, to name: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes { throw Self.unused }

    func history(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> [ItemVersion] {
        throw Self.unused
    }

    func restore(
        _ item: ItemName, version: Int, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes { throw Self.unused }

    func unlock(_ vault: VaultName, prompts: Prompts) async throws(KeychainError) { setVault(.unlocked) }

    func biometrics() async throws(KeychainError) -> Biometrics { throw Self.unused }

    private static let unused = KeychainError(.failed, "no test here needs this")

    func items(matching query: ItemQuery, in vault: VaultName) async throws(KeychainError) -> [ItemAttributes] {
        let found = try call { state in
            state.items.values.map(\.attributes).filter { item in
                query.service.map { $0 == item.service } ?? true
                    && query.accounts.map { $0.contains(item.account) } ?? true
                    && item.name.itemClass.isFound(by: query.itemClass)
                    && query.attributes.allSatisfy { item.attributes[$0.key] == $0.value }
            }.sorted { $0.account < $1.account }
        }
        let after = edit { state in
            defer { state.afterLook = nil }
            return state.afterLook
        }
        do { try await after?() } catch { throw KeychainError(.cancelled, "cancelled") }
        return found
    }

    func attributes(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemAttributes {
        try call { (state) throws(KeychainError) in
            guard let found = state.items[item] else { throw KeychainError(.notFound, "there is no \(item)") }
            return found.attributes
        }
    }

    func status(of vault: VaultName) async throws(KeychainError) -> VaultStatus {
        try call { VaultStatus(state: $0.vault, sealer: nil, isSandbox: true) }
    }

    func lock(_ vault: VaultName) async throws(KeychainError) { setVault(.locked) }

    func events(
        of service: String?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error> {
        let before = edit { $0.beforeEvents }
        await before?()
        return try call { state in
            let (stream, continuation) = AsyncThrowingStream<KeychainEvent, any Error>.makeStream()
            state.listeners.append(continuation)
            return stream
        }
    }
}

/// The code of the error that this throws; nil for none, or for an error of another kind.
func keychainCode(_ body: () async throws -> Void) async -> KeychainError.Code? {
    do { try await body() } catch { return (error as? KeychainError)?.code }
    return nil
}
