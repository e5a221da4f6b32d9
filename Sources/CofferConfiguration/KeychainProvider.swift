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
    private let fetched = Mutex(Fetched())

    private struct Fetched {
        /// Counts what was forgotten. A value that was read before that must not come back.
        var generation: UInt64 = 0
        var values: [String: [UInt8]] = [:]
    }

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
        let generation = fetched.withLock { $0.generation }
        let bytes: [UInt8]
        do throws(KeychainError) { bytes = try await keychain.bytes(for: account, reason: reason) } catch {
            guard error.code == .notFound else { throw error }
            forget([account])
            return LookupResult(encodedKey: account, value: nil)
        }
        remember([account: bytes], since: generation)
        return LookupResult(encodedKey: account, value: try ValueConversion.value(bytes, as: type, account))
    }

    /// What was fetched before. Never waits, never prompts.
    public func snapshot() -> any ConfigSnapshot { snapshotNow() }

    /// Reads all items of the service that require nothing, so that synchronous look-ups have them. Nobody is asked.
    /// - Returns: the accounts that were read, sorted.
    /// - Throws: `KeychainError` if the broker cannot be asked. A locked vault is no error: its items are left out.
    @discardableResult
    public func preload() async throws(KeychainError) -> [String] {
        let generation = fetched.withLock { $0.generation }
        let quiet = keychain.prompting(.never)
        var values: [String: [UInt8]] = [:]
        for item in try await keychain.list() where item.access.requirements.isEmpty {
            do throws(KeychainError) {
                values[item.account] = try await quiet.bytes(for: item.account, reason: reason)
            } catch {
                guard [.locked, .notFound, .authenticationNeeded].contains(error.code) else { throw error }
            }
        }
        remember(values, since: generation)
        return values.keys.sorted()
    }

    func snapshotNow() -> KeychainSnapshot {
        KeychainSnapshot(providerName: providerName, values: fetched.withLock { $0.values })
    }

    static func account(of key: AbsoluteConfigKey) -> String { key.components.joined(separator: ".") }

    private func remember(_ values: [String: [UInt8]], since generation: UInt64) {
        fetched.withLock { fetched in
            guard fetched.generation == generation else { return }
            fetched.values.merge(values) { $1 }
        }
    }

    /// - Parameter accounts: nil for all.
    func forget(_ accounts: [String]?) {
        fetched.withLock { fetched in
            fetched.generation &+= 1
            guard let accounts else {
                fetched.values = [:]
                return
            }
            for account in accounts { fetched.values[account] = nil }
        }
    }
}

/// The values that were fetched by one moment.
struct KeychainSnapshot: ConfigSnapshot {
    let providerName: String
    let values: [String: [UInt8]]

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        let account = KeychainProvider.account(of: key)
        return LookupResult(
            encodedKey: account, value: try values[account].map { try ValueConversion.value($0, as: type, account) })
    }
}
