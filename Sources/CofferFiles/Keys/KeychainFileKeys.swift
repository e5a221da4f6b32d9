import Coffer
import Cryptography
import Platform

/// Keeps the keys of files as items of the class `file` in a keychain.
struct KeychainFileKeys: FileKeys {
    private let keychain: Keychain
    /// The changes that one request takes.
    private static let changesAtOnce = 128

    /// Names of attributes.
    private enum Attribute {
        static let directory = "directory"
        static let path = "path"
        static let root = "root"
    }

    init(_ keychain: Keychain) { self.keychain = keychain.items(ofClass: .file) }

    func store(_ key: SecretBytes, _ draft: FileKeyDraft) async throws(KeychainError) {
        var bytes = key.withBytes { span in span.indices.map { span[$0] } }
        defer { Wipe.bytes(&bytes) }
        try await keychain.set(
            bytes, for: draft.id.hexadecimal, access: draft.access, label: draft.name.path,
            attributes: [
                Attribute.directory: draft.name.directory, Attribute.path: draft.name.path,
                Attribute.root: draft.root.hexadecimal,
            ],
            applicationPassword: draft.applicationPassword, if: .isAbsent)
    }

    func load(_ id: FileID, _ request: FileKeyRequest) async throws(KeychainError) -> SecretBytes {
        var bytes = try await keychain.bytes(
            for: id.hexadecimal, reason: request.reason, applicationPassword: request.applicationPassword)
        defer { Wipe.bytes(&bytes) }
        do throws(CryptographyError) { return try SecretBytes(copying: bytes) } catch {
            throw KeychainError(cryptography: error)
        }
    }

    func record(of id: FileID) async throws(KeychainError) -> FileKeyRecord? {
        do throws(KeychainError) { return Self.record(try await keychain.attributes(of: id.hexadecimal)) } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    func records(inDirectory root: FileID) async throws(KeychainError) -> [FileKeyRecord] {
        try await keychain.search(attributes: [Attribute.root: root.hexadecimal]).compactMap(Self.record)
    }

    func delete(_ ids: [FileID], protection: RollbackProtection) async throws(KeychainError) {
        var rest = ids[...]
        while !rest.isEmpty {
            let changes = rest.prefix(Self.changesAtOnce).map { ItemChange(keychain.name($0.hexadecimal), .delete) }
            try await keychain.apply(changes, protection: protection)
            rest = rest.dropFirst(Self.changesAtOnce)
        }
    }

    /// - Returns: nil for an item that this library did not make.
    private static func record(_ item: ItemAttributes) -> FileKeyRecord? {
        guard let id = FileID(hexadecimal: item.account), let path = item.attributes[Attribute.path] else { return nil }
        return FileKeyRecord(id: id, path: path, access: item.access, created: item.created)
    }
}
