import Coffer
import CofferTestKit
import Foundation
import Testing

@testable import CredentialHelpers

/// What becomes of docker's logins if somebody else has stored something, too.
@Suite struct DockerLoginTests {
    private let backend = InMemoryKeychain(password: "pw", person: .answers("pw"))

    private var helper: DockerHelper {
        DockerHelper(store: EntryStore(application: "docker", vault: .own, backend: backend))
    }

    private func add(_ user: String, _ secret: String) async throws {
        try await helper.add(DockerCredentials(serverURL: "h", username: user, secret: secret))
    }

    private var items: [ItemAttributes] {
        get async throws { try await backend.items(matching: ItemQuery(), in: .own) }
    }

    /// A server has one user. docker stores after every login, also if it stores the same again.
    @Test func theSameLoginAgainLeavesNoOther() async throws {
        try await add("one", "1")
        let entry = try #require(try await items.first)
        let other = ItemName(service: entry.service, account: "two", itemClass: .internetPassword)
        let login = NewItem(value: Array("2".utf8), attributes: entry.attributes)
        _ = try await backend.set(other, to: login, if: .isAbsent, prompts: .never, in: .own)
        #expect(try await items.count == 2)
        try await add("one", "1")
        #expect(try await items.map(\.account) == ["one"])
        #expect(try await helper.get("h").secret == "1")
    }

    /// The login of one user asks for a person. A program could have stored one of another user that asks for nobody, and
    /// wait until docker stores that user's login.
    @Test func aLoginThatWasThereIsNotEasierToReadThanTheOneItReplaces() async throws {
        try await add("one", "1")
        let entry = try #require(try await items.first)
        let gated = try AccessControl(.whenUnlocked, requirements: [.userPresence])
        _ = try await backend.set(
            entry.name, to: NewItem(value: Array("1".utf8), access: gated), if: .isPresent, prompts: .never, in: .own)
        let other = ItemName(service: entry.service, account: "two", itemClass: .internetPassword)
        let login = NewItem(value: Array("2".utf8), attributes: entry.attributes)
        _ = try await backend.set(other, to: login, if: .isAbsent, prompts: .never, in: .own)
        try await add("two", "3")
        #expect(try await items.map(\.account) == ["two"])
        #expect(try await items.map(\.access) == [gated])
    }

    /// What is stricter already stays as it is.
    @Test func aLoginThatWasThereKeepsItsStricterAccess() async throws {
        try await add("one", "1")
        let entry = try #require(try await items.first)
        let gated = try AccessControl(.whenUnlocked, requirements: [.userPresence])
        let other = ItemName(service: entry.service, account: "two", itemClass: .internetPassword)
        let login = NewItem(value: Array("2".utf8), access: gated, attributes: entry.attributes)
        _ = try await backend.set(other, to: login, if: .isAbsent, prompts: .never, in: .own)
        try await add("two", "3")
        #expect(try await items.map(\.access) == [gated])
    }

    /// docker would log in with other bytes than those that were stored.
    @Test func aLoginThatIsNoTextIsNotGivenOut() async throws {
        try await add("me", "s")
        let name = try #require(try await items.first).name
        _ = try await backend.set(
            name, to: NewItem(value: [0x70, 0xFF, 0x77]), if: .isPresent, prompts: .never, in: .own)
        await #expect(throws: KeychainError(.notText, "")) { try await helper.get("h") }
    }
}
