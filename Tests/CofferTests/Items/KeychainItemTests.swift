import Foundation
import Testing

@testable import Coffer
@testable import CofferClient

/// Properties that stand for items.
struct KeychainItemTests {
    struct Profile: Codable, Sendable, Equatable { var name: String }

    struct Account {
        @KeychainItem var token: KeychainHandle<String>
        @KeychainItem var key: KeychainHandle<[UInt8]>
        @KeychainItem var profile: KeychainHandle<Profile>

        init(_ keychain: Keychain) {
            _token = KeychainItem("token", in: keychain, access: .whenUnlocked.requiring(.userPresence))
            _key = KeychainItem("key", in: keychain)
            _profile = KeychainItem("profile", in: keychain)
        }
    }

    let backend = ScriptedBackend()
    var keychain: Keychain { Keychain(service: "app", backend: backend) }

    @Test("Text, bytes and Codable values are set, read, looked for and deleted")
    func verbs() async throws {
        let account = Account(keychain)
        #expect(await keychainCode { _ = try await account.token.value() } == .notFound)
        #expect(try await account.token.exists() == false)
        try await account.token.set("s3cret")
        try await account.key.set([0, 255])
        try await account.profile.set(Profile(name: "me"))
        #expect(try await account.token.value(reason: "Show it") == "s3cret")
        #expect(try await account.key.value() == [0, 255])
        #expect(try await account.profile.value() == Profile(name: "me"))
        #expect(try await keychain.string(for: "token") == "s3cret")
        #expect(try await keychain.bytes(for: "profile") == Array(#"{"name":"me"}"#.utf8))
        #expect(try await account.token.exists())
        #expect(try await account.token.delete())
        #expect(try await account.token.delete() == false)
    }

    @Test("The access control goes with the value, and looking never prompts")
    func access() async throws {
        let account = Account(keychain)
        try await account.token.set("s3cret")
        #expect(try await keychain.attributes(of: "token").access == .whenUnlocked.requiring(.userPresence))
        _ = try await account.token.exists()
        #expect(backend.edit { $0.prompts } == 0)
        _ = try await account.token.value()
        #expect(backend.edit { $0.prompts } == 1)
    }

    @Test("No error is swallowed")
    func errors() async throws {
        let account = Account(keychain)
        try await keychain.set([0xFF], for: "token")
        #expect(await keychainCode { _ = try await account.token.value() } == .notText)
        try await keychain.set("{}", for: "profile")
        #expect(await keychainCode { _ = try await account.profile.value() } == .notDecodable)
        backend.edit { $0.failure = KeychainError(.locked, "locked") }
        #expect(await keychainCode { _ = try await account.token.value() } == .locked)
        #expect(await keychainCode { try await account.token.set("v") } == .locked)
        #expect(await keychainCode { try await account.token.delete() } == .locked)
        #expect(await keychainCode { _ = try await account.token.exists() } == .locked)
        #expect(await keychainCode { _ = try await account.token.changes() } == .locked)
    }

    @Test("The changes are those of this item and of the vault")
    func changes() async throws {
        let account = Account(keychain)
        let token = try await account.token.set("1")
        let key = try await account.key.set([1])
        var changes = try await account.token.changes().makeAsyncIterator()
        for event in [KeychainEvent.updated(key), .updated(token), .deleted(key), .locked, .deleted(token)] {
            backend.tell(event)
        }
        #expect(try await changes.next(isolation: nil) == .updated(token))
        #expect(try await changes.next(isolation: nil) == .locked)
        #expect(try await changes.next(isolation: nil) == .deleted(token))
        backend.endEvents()
        await #expect(throws: KeychainError.self) { _ = try await changes.next(isolation: nil) }
    }
}
