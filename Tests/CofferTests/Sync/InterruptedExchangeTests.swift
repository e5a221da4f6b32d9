import Coffer
import CofferSettings
import CofferSync
import CofferTestKit
import Synchronization
import Testing

/// A keychain in memory that lets a test come in between: something happens while a change is under way.
final class InterruptedKeychain: KeychainBackend {
    let inner = InMemoryKeychain()
    private let beforeChange = Mutex<(@Sendable () throws -> Void)?>(nil)

    /// - Parameter body: runs once, before the next change is made. What it throws is the change's error.
    func interrupt(_ body: @escaping @Sendable () throws -> Void) { beforeChange.withLock { $0 = body } }

    func apply(
        _ changes: [ItemChange], prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> [ChangeOutcome] {
        let body = beforeChange.withLock { body in
            defer { body = nil }
            return body
        }
        do { try body?() } catch { throw error as? KeychainError ?? KeychainError(.failed, "\(error)") }
        return try await inner.apply(changes, prompts: prompts, in: vault)
    }

    func read(
        _ items: [ItemName], _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [Item] { try await inner.read(items, request, in: vault) }

    func set(
        _ name: ItemName, to item: NewItem, if condition: ItemChange.Condition, prompts: Prompts, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await inner.set(name, to: item, if: condition, prompts: prompts, in: vault)
    }

    func edit(
        _ item: ItemName, _ edit: ItemEdit, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes { try await inner.edit(item, edit, request, in: vault) }

    func rename(
        _ item: ItemName, to name: ItemName, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes { try await inner.rename(item, to: name, request, in: vault) }

    func items(matching query: ItemQuery, in vault: VaultName) async throws(KeychainError) -> [ItemAttributes] {
        try await inner.items(matching: query, in: vault)
    }

    func exists(_ item: ItemName, in vault: VaultName) async throws(KeychainError) -> Bool {
        try await inner.exists(item, in: vault)
    }

    func attributes(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemAttributes {
        try await inner.attributes(of: item, in: vault)
    }

    func history(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> [ItemVersion] {
        try await inner.history(of: item, in: vault)
    }

    func restore(
        _ item: ItemName, version: Int, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> ItemAttributes {
        try await inner.restore(item, version: version, request, in: vault)
    }

    func status(of vault: VaultName) async throws(KeychainError) -> VaultStatus { try await inner.status(of: vault) }

    func lock(_ vault: VaultName) async throws(KeychainError) { try await inner.lock(vault) }

    func unlock(_ vault: VaultName, prompts: Prompts) async throws(KeychainError) {
        try await inner.unlock(vault, prompts: prompts)
    }

    func biometrics() async throws(KeychainError) -> Biometrics { try await inner.biometrics() }

    func events(
        of service: String?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error> {
        try await inner.events(of: service, in: vault)
    }

    func sharing(in vault: VaultName) async throws(KeychainError) -> SharingState {
        try await inner.sharing(in: vault)
    }
}

extension InterruptedKeychain {
    /// The shared settings of a machine that is in a circle.
    func settings(in circle: InMemoryCircle) -> SyncedSettings {
        circle.join(inner, as: "desk")
        return SyncedSettings(
            keychain: Keychain(service: "app", backend: self), local: Settings(backend: InMemorySettings()),
            cache: InMemorySettings(), exchanges: .onDemand)
    }
}

/// What happens between two steps of an exchange.
struct InterruptedExchangeTests {
    private let theme = SettingKey("theme", default: "none")
    private let backend = InterruptedKeychain()
    private let circle = InMemoryCircle()
    private let settings: SyncedSettings

    init() { settings = backend.settings(in: circle) }

    private var stored: Keychain { Keychain(service: "app", itemClass: .setting, backend: backend) }

    /// The vault is just about to have a value, and the person chooses another one, or none. The newer choice counts.
    @Test(arguments: ["light", nil] as [String?])
    func whatIsSetDuringAnExchangeGoesOutWithTheNextOne(_ next: String?) async throws {
        try settings.set("dark", for: theme)
        backend.interrupt { [settings, theme] in
            if let next { try settings.set(next, for: theme) } else { try settings.remove(theme) }
        }
        try await settings.synchronize()
        #expect(settings.pendingNames == ["theme"])
        #expect(try settings.value(for: theme) == next ?? "none")
        try await settings.synchronize()
        #expect(settings.pendingNames == [])
        #expect(try settings.value(for: theme) == next ?? "none")
        #expect(try await stored.exists("theme") == (next != nil))
    }

    /// The broker goes away just then. What the vault still has goes with the next exchange, and does not come back.
    @Test func theEndOfAnAccountThatFailedIsMadeGoodByTheNextExchange() async throws {
        try settings.set("dark", for: theme)
        try await settings.synchronize()
        try #require(try await stored.accounts() == ["theme"])
        backend.interrupt { throw KeychainError(.brokerUnreachable, "gone") }
        #expect(await keychainCode { try await settings.deleteEverything(of: "app") } == .brokerUnreachable)
        #expect(settings.sharedNames == [])
        #expect(try await stored.accounts() == ["theme"])
        try await settings.synchronize()
        #expect(try settings.value(for: theme) == "none")
        #expect(settings.sharedNames == [] && settings.pendingNames == [])
        #expect(try await stored.accounts().isEmpty)
    }
}
