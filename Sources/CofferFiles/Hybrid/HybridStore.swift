public import Coffer
import CofferSettings
import FoundationEssentials
import Platform

/// Keeps one record in three stores: its secrets in a keychain, its settings in `Settings`, its files in ``ProtectedFiles``.
///
/// ```swift
/// let users = HybridStore(
///     User.self, name: "user", keychain: keychain, settings: settings, files: files)
/// try await users.save(User(token: "s3cret", theme: "dark", picture: picture))
/// let user = try await users.load(reason: "Show your account")
/// try await users.delete()
/// ```
/// Saving and deleting count at one moment. After an error or a crash there is the former record or the new one, whole, and the next use
/// finishes or removes what was left. Several programs may use a record at once.
///
/// A setting has the name `NAME.FIELD`, and may be read and changed as a setting, too. The folder NAME of the files belongs to the store.
public struct HybridStore<Record: HybridRecord>: Sendable {
    /// Names the record: the beginning of its settings, its folder and its items.
    public let name: String
    let keychain: Keychain
    let settings: Settings
    let files: ProtectedFiles
    /// Runs after each step of a save or a deletion. Tests end the call there, as a crash does.
    let after: @Sendable (HybridStep) throws -> Void

    /// - Parameter name: of the record: letters, digits, dashes and underscores. It is checked at the first use.
    public init(
        _ type: Record.Type = Record.self, name: String, keychain: Keychain, settings: Settings, files: ProtectedFiles
    ) { self.init(type, name: name, keychain: keychain, settings: settings, files: files) { _ in } }

    init(
        _ type: Record.Type = Record.self, name: String, keychain: Keychain, settings: Settings, files: ProtectedFiles,
        after: @escaping @Sendable (HybridStep) throws -> Void
    ) {
        self.name = name
        self.keychain = keychain
        self.settings = settings
        self.files = files
        self.after = after
    }

    var settingPrefix: String { "\(name)." }

    /// The revision that the settings are of. No field has this name.
    var stampKey: SettingKey<String?> { SettingKey(settingPrefix + "@revision") }

    /// The fields that have been written as settings, by this version of the record or by another one. No field has
    /// this name.
    var writtenKey: SettingKey<[String]> { SettingKey(settingPrefix + "@fields", default: []) }

    func account(_ field: String) -> String { "\(name)/\(field)" }

    /// The account of the manifest's item. No field has this name.
    var manifestAccount: String { account("@manifest") }

    /// Checks names, so that no field reaches into another record.
    func check() throws(KeychainError) {
        let names = Record.fields.map(\.name)
        for one in names + [name] {
            let isPlain = one.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            guard isPlain, (1...HybridLimits.name).contains(one.utf8.count) else {
                throw KeychainError(
                    .invalidArgument, "a record or one of its fields has a name that cannot be used",
                    advice: "use 1 to \(HybridLimits.name) letters, digits, dashes and underscores")
            }
        }
        guard Set(names).count == names.count else {
            throw KeychainError(.invalidArgument, "two fields of \(Record.self) have the same name")
        }
        let secrets = Record.fields.count { if case .secret = $0.store { true } else { false } }
        guard secrets <= HybridLimits.secrets else {
            throw KeychainError(
                .limitExceeded,
                "\(Record.self) has \(secrets) secrets, but a record has \(HybridLimits.secrets) at most",
                advice: "put several of them into one field")
        }
    }

    /// The manifest with its item; nil if there is no record. Nobody is asked, except to open the vault.
    func manifest() async throws(KeychainError) -> (HybridManifest, ItemAttributes)? {
        try await manifest(in: keychain)
    }

    private func manifest(in keychain: Keychain) async throws(KeychainError) -> (HybridManifest, ItemAttributes)? {
        do throws(KeychainError) {
            let item = try await keychain.item(for: manifestAccount)
            return (try HybridJSON.decode(HybridManifest.self, item.value, "manifest"), item.attributes)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Removes files that no save has finished with. Programs that save are left alone.
    func removeOrphans() async throws(KeychainError) {
        guard let root = try FileRoot.existing(files.place()) else { return }
        let state = try FolderState(in: root)
        guard try await !found().isEmpty else { return }
        // Before the lock, because this may ask a person to open the vault. Others must not wait for them.
        _ = try await manifest()
        // Now nobody is between writing a file and saving the manifest that names it.
        guard let alone = try state.tryLock(.writers) else { return }
        defer { alone.keep() }
        let kept: Set<String>
        do throws(KeychainError) {
            let manifest = try await manifest(in: keychain.prompting(.never))
            kept = Set(manifest?.0.files.values.map { $0 } ?? [])
        } catch {
            // The vault was locked meanwhile. The next save removes the orphans.
            guard error.code == .locked || error.code == .authenticationNeeded else { throw error }
            return
        }
        for file in try await found() where !kept.contains(file.path) {
            try await files.delete(try RelativePath(file.path), root, state, only: nil, protection: .later)
        }
    }

    /// The record's files, finished or not.
    private func found() async throws(KeychainError) -> [ProtectedFileInfo] {
        do throws(KeychainError) { return try await files.list(in: name).filter { !$0.isFolder } } catch {
            guard error.code == .notFound else { throw error }
            return []
        }
    }
}

/// The steps of a save and of a deletion, in their order.
enum HybridStep: Sendable, CaseIterable {
    case filesWritten
    /// From here on the new record counts.
    case committed
    case settingsWritten
}

enum HybridLimits {
    /// The name of a record or of a field, in bytes.
    static let name = 100
    /// One prompt is for 32 items at most, and one of them is the manifest.
    static let secrets = 31
    /// The settings of a record as JSON, in bytes. Their Base64 fits into the manifest's item, beside the fields' names.
    static let settings = 720 << 10
    /// How often a call begins again because another program changed the record.
    static let rounds = 64
}
