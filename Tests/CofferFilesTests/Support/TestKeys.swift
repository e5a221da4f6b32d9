import Coffer
import Cryptography
import Foundation

@testable import CofferFiles

/// Keys in a folder, one file each, for several processes. They have no protection: only what happens to them counts.
struct FolderKeys: FileKeys {
    let path: String
    /// The age that all keys seem to have.
    var age: TimeInterval = 0
    /// What happens at these moments.
    var beforeStore: @Sendable () async throws(KeychainError) -> Void = { () throws(KeychainError) in }
    var afterStore: @Sendable () async throws(KeychainError) -> Void = { () throws(KeychainError) in }
    /// Gets how many keys a call deletes, and how.
    var whenDeleting: @Sendable (Int, RollbackProtection) -> Void = { _, _ in }
    var beforeDelete: @Sendable () async throws(KeychainError) -> Void = { () throws(KeychainError) in }
    var beforeLoad: @Sendable (FileID) async throws(KeychainError) -> Void = { (_) throws(KeychainError) in }
    var beforeRecord: @Sendable (FileID) async throws(KeychainError) -> Void = { (_) throws(KeychainError) in }

    struct Stored: Codable {
        let key: [UInt8]
        let path: String
        let root: String
        let accessibility: String
        let isThisDeviceOnly: Bool
    }

    init(_ path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private func url(_ id: String) -> URL { URL(fileURLWithPath: path + "/" + id) }

    func store(_ key: SecretBytes, _ draft: FileKeyDraft) async throws(KeychainError) {
        try await beforeStore()
        let stored = Stored(
            key: key.withBytes { span in span.indices.map { span[$0] } }, path: draft.name.path,
            root: draft.root.hexadecimal, accessibility: draft.access.accessibility.rawValue,
            isThisDeviceOnly: draft.access.isThisDeviceOnly)
        do { try JSONEncoder().encode(stored).write(to: url(draft.id.hexadecimal), options: .atomic) } catch {
            throw KeychainError(.failed, "cannot store: \(error)")
        }
        try await afterStore()
    }

    func stored(_ id: String) -> Stored? {
        // A missing key is what some tests look for.
        (try? Data(contentsOf: url(id))).flatMap { try? JSONDecoder().decode(Stored.self, from: $0) }
    }

    func load(_ id: FileID, _ request: FileKeyRequest) async throws(KeychainError) -> SecretBytes {
        try await beforeLoad(id)
        guard let stored = stored(id.hexadecimal) else { throw KeychainError(.notFound, "no key") }
        do throws(CryptographyError) { return try SecretBytes(copying: stored.key) } catch {
            throw KeychainError(.failed, error.reason)
        }
    }

    private func record(_ id: FileID, _ stored: Stored) -> FileKeyRecord {
        var access: AccessControl =
            switch stored.accessibility {
            case "always": .always
            case "after-first-unlock": .afterFirstUnlock
            default: .whenUnlocked
            }
        if stored.isThisDeviceOnly { access = access.thisDeviceOnly }
        return FileKeyRecord(id: id, path: stored.path, access: access, created: Date.now.addingTimeInterval(-age))
    }

    func record(of id: FileID) async throws(KeychainError) -> FileKeyRecord? {
        try await beforeRecord(id)
        return stored(id.hexadecimal).map { record(id, $0) }
    }

    func records(inDirectory root: FileID) async throws(KeychainError) -> [FileKeyRecord] {
        ids.compactMap { id in
            guard let name = FileID(hexadecimal: id), let stored = stored(id), stored.root == root.hexadecimal else {
                return nil
            }
            return record(name, stored)
        }
    }

    func delete(_ ids: [FileID], protection: RollbackProtection) async throws(KeychainError) {
        guard !ids.isEmpty else { return }
        try await beforeDelete()
        whenDeleting(ids.count, protection)
        // An absent key is fine.
        for id in ids { try? FileManager.default.removeItem(at: url(id.hexadecimal)) }
    }

    /// The ids of all keys.
    var ids: [String] {
        // Without the folder there are none.
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.count == 32 }
    }
}

/// A directory of protected files, and where their keys are. Both end with this value.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/coffer-files-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // If the folder cannot be removed, a test that has ended can do nothing about it.
        try? FileManager.default.removeItem(atPath: path)
    }

    var root: String { path + "/files" }

    func keys() throws -> FolderKeys { try FolderKeys(path + "/keys") }

    func files(_ keys: FolderKeys? = nil) throws -> ProtectedFiles { try Self.files(path, keys) }

    static func files(_ path: String, _ keys: FolderKeys? = nil) throws -> ProtectedFiles {
        ProtectedFiles(
            service: "com.example.test", directory: .custom(path + "/files"),
            keys: try keys ?? FolderKeys(path + "/keys"))
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: root + "/" + name)))
    }

    func put(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: root + "/" + name))
    }

    /// The part files: of writes that are under way, or that have left one behind.
    func parts() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root + "/.coffer").filter { $0.hasSuffix(".part") }
    }
}

/// Content that no two places of have in common by chance.
func sample(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
}

/// The code of the error that a call throws in a task that was cancelled before.
func codeWhenCancelled(_ call: @escaping @Sendable () async throws -> Void) async -> KeychainError.Code? {
    let task = Task { () throws in
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await call()
    }
    return await code { try await task.value }
}

/// The code of the error that a call throws; nil if it throws none.
func code(_ call: () async throws -> Void) async -> KeychainError.Code? {
    do { try await call() } catch let error as KeychainError { return error.code } catch { return .failed }
    return nil
}
