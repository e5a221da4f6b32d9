public import Coffer
import Cryptography
import FoundationEssentials

/// An application's protected files in one directory. Each file is sealed under a key of its own, which is an item in the
/// person's vault. So reading a file asks for what its access control says, as reading an item does.
///
/// ```swift
/// let files = ProtectedFiles(service: "com.example.notes", directory: .documents)
/// try await files.write(value: Note(title: "Today"), to: "notes/today.json", access: .whenUnlocked.requiring(.userPresence))
/// let note = try await files.read("notes/today.json", as: Note.self, reason: "Show your note")
/// ```
///
/// Paths are relative: `notes/today.json`. Nothing outside of the directory can be named, and no symbolic link is followed.
/// The names, sizes and times of files are not secret. Folders have mode 0700, files 0600.
///
/// A write makes a new file with a new key, and then gives it the name. After a crash at any moment there is the former
/// file or the new one, whole. Several programs may use a directory at once.
public struct ProtectedFiles: Sendable {
    /// The kind of directory.
    public let directory: ProtectedDirectory
    let service: String
    let keys: any FileKeys
    private let environment: [String: String]

    /// - Parameters:
    ///   - service: names the application, as for `Keychain`. It is also the name of a folder, unless the directory is custom.
    ///   - directory: where the files are.
    ///   - prompts: how a person is asked when a file is read.
    ///   - backend: where the files' keys are. Tests choose `InMemoryKeychain` of `CofferTestKit`.
    public init(
        service: String, directory: ProtectedDirectory, prompts: Prompts = .automatic,
        backend: any KeychainBackend = BrokerBackend()
    ) {
        self.init(
            keychain: Keychain(service: service, prompts: prompts, backend: backend), directory: directory)
    }

    /// Files whose keys are in a given keychain, for example in a group's vault. Only the vault, the service and the way to
    /// ask a person are taken from it.
    public init(keychain: Keychain, directory: ProtectedDirectory) {
        self.init(service: keychain.service, directory: directory, keys: KeychainFileKeys(keychain))
    }

    init(
        service: String, directory: ProtectedDirectory, keys: any FileKeys,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.service = service
        self.directory = directory
        self.keys = keys
        self.environment = environment
    }

    func place() throws(KeychainError) -> DirectoryPlace {
        try DirectoryPlace(directory, service: service, environment: environment)
    }

    /// What the key of the file at this path depends on.
    func name(_ path: RelativePath) -> FileName { FileName(directory: directory.kind, path: path.text) }
}
