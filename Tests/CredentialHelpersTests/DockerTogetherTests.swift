import Coffer
import CofferTestKit
import Foundation
import Testing

@testable import CredentialHelpers

/// Several users log in to one server at the same time. One of them stays.
@Suite struct DockerTogetherTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let backend = WatchedBackend(
        InMemoryKeychain(password: "pw", person: .answers("pw"), now: { DockerTogetherTests.now }))

    private func add(_ user: String, _ secret: String = "s", on other: (any KeychainBackend)? = nil) async throws {
        let docker = DockerHelper(
            store: EntryStore(application: "docker", vault: .own, backend: other ?? backend, now: { Self.now }))
        try await docker.add(DockerCredentials(serverURL: "h", username: user, secret: secret))
    }

    private var items: [ItemAttributes] {
        get async throws { try await backend.items(matching: ItemQuery(), in: .own) }
    }

    /// Both were stored in the same millisecond, so the name decides.
    @Test(arguments: [["a", "b"], ["b", "a"]]) func twoLoginsAtOnceLeaveOneUser(users: [String]) async throws {
        backend.before(.set) { try await add(users[1], on: backend.keychain) }
        try await add(users[0])
        #expect(try await items.map(\.account) == ["b"])
        let binned = try await backend.deletedItems(of: #require(items.first).service, in: .own)
        #expect(binned.map(\.account) == ["a"])
    }

    /// The other one has put the same login aside, or a later one has come. What was looked at is gone.
    @Test func twoThatLookAgainLeaveOneUser() async throws {
        backend.before(.set) { try await add("b", on: backend.keychain) }
        backend.before(.apply) { try await add("b", on: backend.keychain) }
        try await add("a")
        #expect(try await items.map(\.account) == ["b"])
    }

    @Test func aLoginThatComesDuringTheSecondLookStays() async throws {
        backend.before(.set) { try await add("b", on: backend.keychain) }
        backend.before(.apply) { try await add("a", "later", on: backend.keychain) }
        try await add("a")
        #expect(try await items.map(\.account) == ["a"])
        let read = try await backend.read([#require(items.first).name], ReadRequest(), in: .own)
        #expect(read.map(\.value) == [Array("later".utf8)])
    }

    /// A person guards the former login while another user logs in.
    @Test func theFormerLoginIsReplacedAsItIsThen() async throws {
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        try await add("one")
        let name = try #require(try await items.first).name
        backend.before(.apply) {
            _ = try await backend.keychain.edit(name, ItemEdit(access: gated), ReadRequest(), in: .own)
        }
        try await add("two")
        #expect(try await items.map(\.account) == ["two"])
        #expect(try await items.map(\.access) == [gated])
    }
}
