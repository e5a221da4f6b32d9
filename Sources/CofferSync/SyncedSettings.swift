@_exported import Coffer
@_exported import CofferSettings

/// Settings that all machines of a person share: what Apple's `NSUbiquitousKeyValueStore` is, without a server that can
/// read them.
///
/// ```swift
/// let settings = SyncedSettings(service: "com.example.app")
/// let fontSize = SettingKey("fontSize", default: 12)
/// try settings.set(14, for: fontSize)
/// let size = try settings.value(for: fontSize)   // 14, at once
/// for await change in settings.changes() where change.names.contains("fontSize") { layout(size) }
/// ```
///
/// Reading and setting never wait, for no broker, no vault and no other machine. Values come from memory, and a file keeps
/// them for the next start. What was set while the vault is locked or the broker is away is kept, and goes out later.
/// A value that no machine has set comes from the ``local`` settings, and then from the key's default.
///
/// Each setting is an item of the class `setting`: sealed for the machines of the circle, and readable after the first
/// unlock. Of two machines that set one at the same time, the last writer counts. As long as the vault is in no circle,
/// the settings stay on this machine. Its programs see each other's all the same: a moment after they are written.
///
/// Settings are no secrets. Any program of the user can read and change them, on each of the machines.
public final class SyncedSettings: Sendable {
    /// When settings are exchanged with the vault.
    public enum Exchanges: Sendable, Hashable {
        /// After each change, here and elsewhere.
        case automatic
        /// Only by ``SyncedSettings/synchronize()``.
        case onDemand
    }

    /// The settings of this machine alone. A value that is set goes here, too, and counts again when the switch is turned
    /// off.
    public let local: Settings
    let store: ContentStore
    private let exchange: SettingsExchange
    private let worker: ExchangeWorker?

    /// The settings of a service in the user's own vault.
    /// - Parameters:
    ///   - service: names the application, for example in reverse domain order.
    ///   - firstSync: who wins when the settings of this machine first meet those of the others.
    ///   - names: the settings that are shared; nil for all. The others are in ``local`` alone.
    public convenience init(service: String, firstSync: FirstSync = .remote, names: Set<String>? = nil) {
        self.init(
            keychain: Keychain(service: service), local: Settings(suite: service),
            cache: FileSettings(suite: service + ".synced"), firstSync: firstSync, names: names)
    }

    /// Settings with places of your own, for example for tests.
    /// - Parameters:
    ///   - keychain: names the service and the vault.
    ///   - cache: keeps the values between starts, and what has not gone out yet.
    ///   - exchanges: when they are exchanged with the vault.
    public init(
        keychain: Keychain, local: Settings, cache: any SettingsBackend, firstSync: FirstSync = .remote,
        names: Set<String>? = nil, exchanges: Exchanges = .automatic
    ) {
        self.local = local
        store = ContentStore(cache)
        exchange = SettingsExchange(
            keychain: keychain.prompting(.never).items(ofClass: .setting), store: store, local: local,
            firstSync: firstSync, names: names)
        self.names = names
        worker = exchanges == .automatic ? ExchangeWorker(exchange) : nil
    }

    private let names: Set<String>?

    deinit { worker?.end() }
}

// MARK: Reading and setting

extension SyncedSettings {
    /// The value of a setting: the shared one, otherwise that of this machine, otherwise the default.
    /// - Throws: `.wrongType` if the stored value is of another type; otherwise only what reading ``local`` throws.
    public func value<Value>(for key: SettingKey<Value>) throws(SettingsError) -> Value {
        guard isShared(key.name), isOn, let json = store.content.values[key.name] else {
            return try local.value(for: key)
        }
        return try key.decode(json)
    }

    /// Sets a value. It can be read at once, and goes to the other machines a moment later. Setting nil removes it.
    /// - Throws: `.notStorable`, `.sensitive`, `.invalidName`; `.limitExceeded` beyond ``SyncLimits``, which ``changes()``
    ///   tells, too, and if too many changes wait to be written. Nothing is changed then.
    public func set<Value>(_ value: Value, for key: SettingKey<Value>) throws(SettingsError) {
        try put(try key.encode(value), named: key.name)
    }

    /// Removes a value on all machines, so that the default counts again. A missing one is no error.
    public func remove<Value>(_ key: SettingKey<Value>) throws(SettingsError) { try put(nil, named: key.name) }

    /// The names of the settings that are shared and have a value, in order.
    public var sharedNames: [String] { isOn ? store.content.values.keys.sorted() : [] }

    /// The settings that were changed here and did not get into the vault yet, in order.
    public var pendingNames: [String] { store.content.pending.sorted() }

    private func isShared(_ name: String) -> Bool { names?.contains(name) ?? true }

    private func put(_ json: SettingsJSON?, named name: String) throws(SettingsError) {
        guard isOn, isShared(name) else { return try local.put(json, named: name) }
        guard store.hasRoom(for: name) else {
            throw SettingsError(
                .limitExceeded, "\(SyncLimits.unwritten) changes wait to be written",
                advice: "call flush(), which tells why they cannot be")
        }
        var hasRoom = false
        do throws(SettingsError) {
            try store.edit { (content, edits) throws(SettingsError) in
                if content.values[name] != json || content.pending.contains(name) {
                    if let json { try Self.check(name, json, in: content) }
                    edits.names[name] = ContentEdits.NameEdit(value: json, isPending: true)
                }
                hasRoom = true
                // Within the edit: what the local settings refuse is not shared.
                try local.put(json, named: name)
            }
        } catch {
            if error.code == .limitExceeded, !hasRoom {
                store.tell(SyncedSettingsChange(names: [name], reason: .quota))
            }
            throw error
        }
        worker?.wake()
    }

    /// What takes no more room than before always has it.
    private static func check(
        _ name: String, _ json: SettingsJSON, in content: SyncedContent
    ) throws(SettingsError) {
        guard name.utf8.count <= SyncLimits.name else {
            throw SettingsError(
                .invalidName, "the name of a shared setting has \(name.utf8.count) bytes",
                advice: "choose one of 1 to \(SyncLimits.name) bytes")
        }
        let bytes = try json.encoded().count
        guard bytes <= SyncLimits.value else {
            throw SettingsError(
                .limitExceeded, "the value has \(bytes) bytes",
                advice: "keep what is larger than \(SyncLimits.value) bytes in a file, or in local settings")
        }
        let present = content.values[name]
        guard present != nil || content.values.count < SyncLimits.count else {
            throw SettingsError(
                .limitExceeded, "there are \(content.values.count) shared settings",
                advice: "keep at most \(SyncLimits.count), and the others in local settings")
        }
        let size = content.size + name.utf8.count + bytes - SyncedContent.size(name, present)
        guard size <= max(SyncLimits.all, content.size) else {
            throw SettingsError(
                .limitExceeded, "the shared settings would have \(size) bytes",
                advice: "keep at most \(SyncLimits.all) bytes, and the others in local settings")
        }
        var room = ContentRoom(content)
        guard room.take(json, named: name, isPending: true) else {
            throw SettingsError(
                .limitExceeded, "the shared settings, and the removals that wait for the vault, fill their file",
                advice: "unlock the vault, so that the removals reach it")
        }
    }
}

// MARK: Sharing

extension SyncedSettings {
    /// Whether the settings are shared. This is the switch that an application shows.
    public var isOn: Bool { store.content.isOn ?? true }

    /// Turns sharing on or off. Off: this machine keeps the values that it has now, and ``local`` has them from then on.
    /// On: the settings meet those of the other machines as for the first time.
    public func turn(on: Bool) throws(SettingsError) {
        let content = store.content
        guard on != isOn else { return }
        if !on {
            for (name, value) in content.values { try local.put(value, named: name) }
        }
        store.edit { content, edits in
            edits.isOn = on
            edits.circles = (nil, nil)
            for name in Set(content.values.keys).union(content.pending) {
                edits.names[name] = ContentEdits.NameEdit(value: nil, isPending: false)
            }
        }
        worker?.wake()
    }

    /// What changes from now on without the application, and why. The first reader also gets what changed since the
    /// application's last start.
    public func changes() -> SyncedSettingsChanges { store.changes() }

    /// Exchanges the settings with the vault now: takes what other machines have set, and stores what was set here.
    /// ```swift
    /// do { try await synced.synchronize() } catch where error.code == .locked { showLogin() }
    /// ```
    /// The vault's own exchange with the other machines is not part of it: see `coffer sync watch`.
    /// - Throws: `.locked` before the first unlock, `.brokerUnreachable`, and why else the vault cannot be asked. What was
    ///   set stays, and goes out later.
    public func synchronize() async throws(KeychainError) { try await exchange.run() }

    /// Writes the file that keeps the values for the next start. It is written by itself a moment after each change.
    /// - Throws: why it cannot be written. The values are kept in memory.
    public func flush() async throws(SettingsError) {
        try await store.save()
        try await local.flush()
    }
}

extension SyncedSettings: ServiceData {
    /// Removes all settings of the service from the vault, and so from all machines, and those of this machine alone.
    /// This holds also while sharing is turned off.
    /// - Throws: `KeychainError` if the vault still has some, and `SettingsError` if a file cannot be written. What is
    ///   known here is removed all the same. Call it again for the rest.
    public func deleteEverything(of service: String) async throws {
        try await exchange.deleteEverything(of: service)
    }
}
