import Coffer
import Configuration
import Synchronization

/// Gives swift-configuration the secrets of a keychain's service.
///
/// The key `database.password` is the account `database.password` of the service. Every value is secret, so that access reporters do not print it.
/// ```swift
/// let secrets = KeychainProvider(Keychain(service: "com.example.server"))
/// let config = ConfigReader(providers: [secrets, EnvironmentVariablesProvider()])
/// let password = try await config.fetchRequiredString(forKey: "database.password")
/// ```
/// Only a fetch asks the broker, and may prompt. A synchronous look-up and a snapshot have only what was fetched before, or what ``preload()`` has read. They never
/// wait and never prompt. What was fetched is forgotten as soon as the item changes or the vault is locked, as far as ``run(missed:)`` or a watch listens to the broker.
public final class KeychainProvider: ConfigProvider {
    let keychain: Keychain
    private let reason: String?
    /// The pauses between attempts to hear the broker pass on it.
    let clock: any Clock<Duration>
    private let fetched = Mutex(FetchedValues())

    /// - Parameters:
    ///   - keychain: its service has the values. Its prompts are used by fetches.
    ///   - reason: why the program asks, for prompts.
    public convenience init(_ keychain: Keychain, reason: String? = nil) {
        self.init(keychain, reason: reason, clock: .continuous)
    }

    init(_ keychain: Keychain, reason: String? = nil, clock: any Clock<Duration>) {
        self.keychain = keychain
        self.reason = reason
        self.clock = clock
    }

    /// `KeychainProvider[SERVICE]`
    public var providerName: String { "KeychainProvider[\(keychain.service)]" }

    /// A value that was fetched before. Never waits, never prompts.
    /// - Returns: no value if it was not fetched.
    /// - Throws: ``ConversionError`` if the value is not of this type.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try snapshotNow().value(forKey: key, type: type)
    }

    /// Reads the item. This may prompt.
    /// - Returns: no value if there is no such item.
    /// - Throws: `KeychainError`, or ``ConversionError`` if the value is not of this type.
    public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
        let account = Self.account(of: key)
        let bytes: [UInt8]
        do throws(KeychainError) { bytes = try await read(account, in: keychain) } catch {
            guard error.code == .notFound else { throw error }
            return LookupResult(encodedKey: account, value: nil)
        }
        return LookupResult(encodedKey: account, value: try ValueConversion.value(bytes, as: type, account))
    }

    /// What was fetched before. Never waits, never prompts.
    public func snapshot() -> any ConfigSnapshot { snapshotNow() }

    /// Reads all items of the service that require nothing, so that synchronous look-ups have them. Nobody is asked.
    /// - Returns: the accounts that look-ups have now, of those that were read, sorted. An item that changes or a vault that is locked meanwhile is left out.
    /// - Throws: `KeychainError` if the broker cannot be asked. A locked vault is no error: its items are left out.
    @discardableResult
    public func preload() async throws(KeychainError) -> [String] {
        var accounts: Set<ExactAccount> = []
        for item in try await keychain.list() where item.access.requirements.isEmpty {
            if try await readQuietly(item.account) != nil { accounts.insert(ExactAccount(item.account)) }
        }
        return accounts.intersection(remembered).map(\.text).sorted()
    }

    /// The accounts whose values are remembered.
    var remembered: Set<ExactAccount> { fetched.withLock { $0.accounts } }

    func snapshotNow() -> KeychainSnapshot {
        KeychainSnapshot(providerName: providerName, values: fetched.withLock { $0.bytes })
    }

    static func account(of key: AbsoluteConfigKey) -> String { key.components.joined(separator: ".") }

    /// Reads a value, and remembers it unless it was forgotten meanwhile.
    private func read(_ account: String, in keychain: Keychain) async throws(KeychainError) -> [UInt8] {
        let number = fetched.withLock { $0.beginRead() }
        do throws(KeychainError) {
            let item = try await keychain.item(for: account, reason: reason)
            fetched.withLock { $0.endRead(number, of: ExactAccount(account), item) }
            return item.value
        } catch {
            fetched.withLock { $0.endRead(number, of: ExactAccount(account), nil) }
            if error.code == .notFound { forget(account, unless: nil) }
            throw error
        }
    }

    /// Reads and remembers a value if nobody has to be asked for it.
    /// - Returns: nil if there is no such item, or if somebody would have to be asked.
    func readQuietly(_ account: String) async throws(KeychainError) -> [UInt8]? {
        do throws(KeychainError) { return try await read(account, in: keychain.prompting(.never)) } catch {
            guard [.notFound, .locked, .authenticationNeeded].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Forgets a value, unless it was read from this state of its item or from a later one.
    func forget(_ account: String, unless item: ItemAttributes?) {
        fetched.withLock { $0.forget(ExactAccount(account), unless: item.map(FetchedValues.State.init)) }
    }

    func forgetAll() { fetched.withLock { $0.forgetAll() } }

    /// Forgets the values that changed before the broker was heard. Nobody is asked.
    /// - Returns: whether there were any.
    /// - Throws: `KeychainError` if the broker cannot be asked. Everything was forgotten then.
    func forgetChanged() async throws(KeychainError) -> Bool {
        let hasAny = fetched.withLock { fetched in
            // A read that began before may have an old value.
            fetched.voidReads()
            return !fetched.accounts.isEmpty
        }
        guard hasAny else { return false }
        do throws(KeychainError) {
            if try await keychain.status().state == .unlocked {
                let items = try await keychain.list().map { (ExactAccount($0.account), FetchedValues.State($0)) }
                return fetched.withLock { $0.forget(notOf: Dictionary(items) { first, _ in first }) }
            }
        } catch {
            // Nobody vouches for the values.
            forgetAll()
            throw error
        }
        forgetAll()
        return true
    }
}

/// The values that were fetched by one moment.
struct KeychainSnapshot: ConfigSnapshot {
    let providerName: String
    let values: [ExactAccount: [UInt8]]

    /// The same snapshot with other values for some accounts.
    func having(_ other: [ExactAccount: [UInt8]]) -> KeychainSnapshot {
        KeychainSnapshot(providerName: providerName, values: values.merging(other) { $1 })
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        let account = KeychainProvider.account(of: key)
        let value = try values[ExactAccount(account)].map { try ValueConversion.value($0, as: type, account) }
        return LookupResult(encodedKey: account, value: value)
    }
}
