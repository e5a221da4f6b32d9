import Coffer
import Cryptography
import FoundationEssentials

/// Where the keys of protected files are: in the vault, or in memory for tests.
protocol FileKeys: Sendable {
    /// Stores a new file's key. Nobody is asked, unless there is no vault yet.
    func store(_ key: SecretBytes, _ draft: FileKeyDraft) async throws(KeychainError)

    /// Reads a key, which may ask a person.
    /// - Throws: `.notFound` if there is none, and the errors of authentication.
    func load(_ id: FileID, _ request: FileKeyRequest) async throws(KeychainError) -> SecretBytes

    /// Who may read a key. Nobody is asked.
    /// - Returns: nil if there is no such key.
    func record(of id: FileID) async throws(KeychainError) -> FileKeyRecord?

    /// All keys that name this directory. Nobody is asked.
    func records(inDirectory root: FileID) async throws(KeychainError) -> [FileKeyRecord]

    /// Deletes keys. Absent ones are fine.
    /// - Parameter protection: `.later` for keys of files that were replaced or moved, or that never were.
    func delete(_ ids: [FileID], protection: RollbackProtection) async throws(KeychainError)
}

/// A key to be stored, apart from the key itself.
struct FileKeyDraft: Sendable {
    let id: FileID
    let name: FileName
    let root: FileID
    let access: AccessControl
    /// The key's own password, if its access control requires one.
    let applicationPassword: String?
}

/// What is known of a stored key without reading it.
struct FileKeyRecord: Sendable {
    let id: FileID
    let path: String
    let access: AccessControl
    let created: Date
}

/// What a read brings besides the file's name.
struct FileKeyRequest: Sendable {
    let reason: String?
    let applicationPassword: String?
}

extension FileKeys {
    /// Deletes a key that no file has any longer, also in a task that was cancelled.
    func discard(_ id: FileID) async {
        await Task {
            // If it stays, a sweep removes it later. What the caller did is done, or failed for another reason.
            try? await delete([id], protection: .later)
        }.value
    }
}
