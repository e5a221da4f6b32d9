import Coffer
import Testing

@testable import CofferFiles

/// The keys of protected files as items of a keychain.
@Suite("The keys of files are items of one class")
struct FileKeyTests {
    private let backend = ScriptedBackend()
    private var keys: KeychainFileKeys { KeychainFileKeys(Keychain(service: "app", backend: backend)) }

    private func ids(_ count: Int) throws -> [FileID] { try (0..<count).map { _ in try FileID.random() } }

    @Test("one request deletes 128 of them")
    func batches() async throws {
        try await keys.delete(try ids(128), protection: .soon)
        #expect(backend.edit { $0.applied.map(\.count) } == [128])
        let several = try ids(257)
        try await keys.delete(several, protection: .later)
        #expect(backend.edit { $0.applied.dropFirst().map(\.count) } == [128, 128, 1])
        #expect(backend.edit { $0.protections } == [.soon, .later, .later, .later])
        #expect(backend.edit { $0.applied.dropFirst().joined().map(\.account) } == several.map(\.hexadecimal))
        try await keys.delete([], protection: .soon)
        #expect(backend.edit { $0.applied.count } == 4)
    }

    @Test("an error of the keychain is no missing key")
    func errors() async throws {
        let id = try FileID.random()
        let request = FileKeyRequest(reason: nil, applicationPassword: nil)
        let absent = try await keys.record(of: id)
        #expect(absent?.path == nil)
        #expect(await keychainCode { _ = try await keys.load(id, request) } == .notFound)
        backend.edit { $0.failure = KeychainError(.locked, "locked") }
        #expect(await keychainCode { _ = try await keys.record(of: id) } == .locked)
        #expect(await keychainCode { _ = try await keys.load(id, request) } == .locked)
        #expect(await keychainCode { _ = try await keys.records(inDirectory: id) } == .locked)
        #expect(await keychainCode { try await keys.delete([id], protection: .soon) } == .locked)
    }

    @Test("the records of a directory are those that name it, and whose names are ids")
    func records() async throws {
        let (one, other) = (try FileID.random(), try FileID.random())
        let items = Keychain(service: "app", backend: backend).items(ofClass: .file)
        for (account, path, root) in [
            (one.hexadecimal, "a", one), (other.hexadecimal, "b", other), ("me", "c", one),
        ] {
            try await items.set(
                [1], for: account, attributes: ["directory": "custom", "path": path, "root": root.hexadecimal])
        }
        try await items.set([1], for: try FileID.random().hexadecimal, attributes: ["root": one.hexadecimal])
        #expect(try await keys.records(inDirectory: one).map(\.path) == ["a"])
        #expect(try await keys.record(of: other)?.path == "b")
    }
}
