import CofferTestKit
import Testing

@testable import Coffer
@testable import CofferSessions

/// What a keychain holds of a login, and how much of it.
struct StoredPartTests {
    let keychain = Keychain(service: "app", backend: InMemoryKeychain())

    private func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test("A part whose item has other fields alone is not there")
    func otherFields() async throws {
        let session = CredentialSession(keychain: keychain)
        let hint: FieldName = "hint"
        for account in ["access-token", "user-name"] { try await keychain.field(hint).set("mine", for: account) }
        #expect(try await session.state() == .loggedOut)
        #expect(try await session.load() == Credentials())
        try await session.saveSession(SessionTokens(accessToken: "a", refreshToken: "r"))
        #expect(try await session.state() == .active(until: nil))
        #expect(try await session.load() == Credentials(accessToken: "a", refreshToken: "r"))
    }

    @Test("A login that one call could not read again is refused, and the former one stays")
    func largerThanALoadTakes() async throws {
        let session = CredentialSession(keychain: keychain)
        let former = Credentials(accessToken: "a", refreshToken: "r")
        try await session.save(former)
        let large = Credentials(accessToken: text(780_000), refreshToken: text(780_000))
        do throws(KeychainError) {
            try await session.save(large)
            Issue.record("it was saved")
        } catch {
            #expect(error.code == .limitExceeded)
            #expect(error.message == "access-token, refresh-token are too large to be loaded together")
        }
        #expect(try await session.load() == former)
    }

    @Test("The largest login that is taken can be loaded")
    func largest() async throws {
        let session = CredentialSession(keychain: keychain)
        let large = Credentials(accessToken: text(770_000), refreshToken: text(770_000), userID: "42")
        try await session.save(large)
        #expect(try await session.load() == large)
    }

    @Test("A large login can be the first that a group's vault gets")
    func firstOfAGroup() async throws {
        let backend = InMemoryKeychain(password: "p", person: .answers("p"), state: .none, others: [.group("team")])
        try await Keychain(service: "app", backend: backend).unlock()
        let session = CredentialSession(keychain: Keychain(service: "app", group: "team", backend: backend))
        let large = Credentials(accessToken: text(770_000), refreshToken: text(770_000))
        try await session.save(large)
        #expect(try await session.load() == large)
    }

    @Test("What the items are called by people counts, too")
    func attributesCount() async throws {
        let session = CredentialSession(keychain: keychain)
        let attributes = Dictionary(uniqueKeysWithValues: (0..<64).map { ("\($0)", text(4000)) })
        try await keychain.set("a", for: "access-token", attributes: attributes)
        let large = Credentials(accessToken: text(770_000), refreshToken: text(770_000))
        #expect(await keychainCode { try await session.save(large) } == .limitExceeded)
        #expect(try await session.load() == Credentials(accessToken: "a"))
    }
}
