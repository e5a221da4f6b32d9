import Foundation
import Testing

@testable import Coffer
@testable import CofferSessions

/// The verbs of a login, in the order in which an application needs them.
struct CredentialSessionTests {
    let backend = ScriptedBackend()
    var keychain: Keychain { Keychain(service: "app", backend: backend) }

    private func session(_ access: [CredentialPart: AccessControl] = [:]) -> CredentialSession {
        CredentialSession(keychain: keychain, access: access, now: backend.now)
    }

    private var whole: Credentials {
        Credentials(
            accessToken: "a1", accessTokenExpires: backend.now().addingTimeInterval(60), refreshToken: "r1",
            userID: "42", userName: "me", password: "p1", apiKey: "k1")
    }

    @Test("What is saved is loaded, by one call each")
    func saveAndLoad() async throws {
        let session = session()
        try await session.save(whole)
        #expect(try await session.load() == whole)
        #expect(backend.edit { $0.applied.count } == 1)
        #expect(backend.edit { $0.reads.count } == 1)
        #expect(try await session.load([.apiKey]) == Credentials(apiKey: "k1"))
    }

    @Test("Saving replaces the whole login: a part that is nil is gone")
    func savingReplaces() async throws {
        let session = session()
        try await session.save(whole)
        let other = Credentials(accessToken: "a2", userID: "43")
        try await session.save(other)
        #expect(try await session.load() == other)
        #expect(try await keychain.accounts() == ["access-token", "user-id"])
    }

    @Test("A save that fails at any of its changes leaves the former login whole", arguments: 0..<6)
    func saveIsAllOrNothing(failing: Int) async throws {
        let session = session()
        try await session.save(whole)
        backend.edit { $0.failingChange = failing }
        let other = Credentials(accessToken: "a2", refreshToken: "r2", userID: "43")
        #expect(await keychainCode { try await session.save(other) } == .failed)
        #expect(try await session.load() == whole)
    }

    @Test("A logout that fails at any of its changes leaves the login whole", arguments: 0..<6)
    func logoutIsAllOrNothing(failing: Int) async throws {
        let session = session()
        try await session.save(whole)
        backend.edit { $0.failingChange = failing }
        #expect(await keychainCode { try await session.logout() } == .failed)
        #expect(try await session.load() == whole)
        backend.edit { $0.failingChange = nil }
        try await session.logout()
        #expect(try await session.load() == Credentials())
        #expect(try await keychain.list().isEmpty)
        #expect(try await session.state() == .loggedOut)
    }

    @Test("Session, login and API key are saved and cleared apart")
    func partsApart() async throws {
        let session = session()
        try await session.saveSession(SessionTokens(accessToken: "a", refreshToken: "r"), userID: "42")
        #expect(
            try await session.load() == Credentials(accessToken: "a", refreshToken: "r", userID: "42"))
        try await session.saveLogin(userName: "me", password: "p")
        try await session.saveAPIKey("k")
        // The next session is of nobody who is known. It does not keep the former user.
        try await session.saveSession(SessionTokens(accessToken: "b", refreshToken: "s"))
        #expect(try await session.load([.userID]).userID == nil)
        try await session.saveSession(SessionTokens(accessToken: "a", refreshToken: "r"), userID: "42")
        try await session.clearSession()
        #expect(try await session.load() == Credentials(userName: "me", password: "p", apiKey: "k"))
        try await session.clearLogin()
        #expect(try await session.load() == Credentials(apiKey: "k"))
        try await session.clearAPIKey()
        #expect(try await session.load() == Credentials())
        try await session.logout()
    }

    @Test("Whether a person is logged in is known without asking, also while the vault is locked")
    func isLoggedIn() async throws {
        let session = session([.accessToken: .whenUnlocked.requiring(.userPresence)])
        #expect(try await session.isLoggedIn == false)
        try await session.save(whole)
        backend.setVault(.locked)
        #expect(try await session.isLoggedIn)
        #expect(try await session.state() == .active(until: whole.accessTokenExpires))
        try await session.clearSession()
        #expect(try await session.isLoggedIn == false)
        #expect(backend.edit { $0.prompts } == 0)
        #expect(backend.edit { $0.reads }.isEmpty)
    }

    @Test("An access token that has expired is not given out, and the refresh token keeps the person logged in")
    func expiry() async throws {
        let session = session()
        try await session.save(whole)
        #expect(try await session.isExpired == false)
        #expect(whole.isExpired(at: backend.now()) == false)
        #expect(whole.isExpired(at: backend.now().addingTimeInterval(60)))
        backend.advance(by: 60)
        #expect(try await session.isExpired)
        #expect(try await session.state() == .needsRefresh)
        #expect(try await session.isLoggedIn)
        let loaded = try await session.load()
        #expect(loaded.accessToken == nil)
        #expect(loaded.refreshToken == "r1")
        try await session.save(Credentials(accessToken: "a", accessTokenExpires: backend.now()))
        #expect(try await session.isLoggedIn == false)
    }

    @Test("A token that expires while the person is asked is not given out")
    func expiryDuringThePrompt() async throws {
        let backend = backend
        let minutes = Tally()
        // The backend's own clock stands still, as one that is behind.
        let session = CredentialSession(keychain: keychain) {
            backend.now().addingTimeInterval(60 * Double(minutes.count))
        }
        try await session.save(
            Credentials(accessToken: "a", accessTokenExpires: backend.now().addingTimeInterval(60), apiKey: "k"))
        backend.edit { $0.beforeRead = { minutes.add() } }
        #expect(try await session.load() == Credentials(apiKey: "k"))
    }

    @Test("The parts have the access control that was given, and several gated ones take one prompt")
    func accessOfParts() async throws {
        let gated = AccessControl.whenUnlocked.thisDeviceOnly.requiring(.userPresence)
        let session = session([.password: gated, .apiKey: gated])
        try await session.save(whole)
        #expect(try await keychain.attributes(of: "password").access == gated)
        #expect(try await keychain.attributes(of: "access-token").access == .whenUnlocked)
        _ = try await session.load([.accessToken, .refreshToken])
        #expect(backend.edit { $0.prompts } == 0)
        _ = try await session.load(reason: "Sign you in")
        #expect(backend.edit { $0.prompts } == 1)
    }

    @Test("A login that another program replaces while it is read is read anew, and never mixed")
    func neverMixed() async throws {
        let session = session()
        try await session.save(whole)
        let other = Credentials(accessToken: "a2", refreshToken: "r2", userID: "43", userName: "you", password: "p2")
        backend.edit { $0.beforeRead = { try await session.save(other) } }
        #expect(try await session.load() == other)
        let third = Credentials(accessToken: "a3", refreshToken: "r3", apiKey: "k3")
        backend.edit { $0.beforeRead = { try await session.save(third) } }
        #expect(try await session.load([.accessToken, .refreshToken]).refreshToken == "r3")
        #expect(backend.edit { $0.reads.count } == 4)
    }

    @Test("Profiles are logins of their own")
    func profiles() async throws {
        let work = CredentialSession(keychain: keychain, profile: "work")
        let home = CredentialSession(keychain: keychain, profile: "home")
        try await work.save(Credentials(accessToken: "w"))
        try await home.save(Credentials(accessToken: "h"))
        try await work.logout()
        #expect(try await work.isLoggedIn == false)
        #expect(try await home.load() == Credentials(accessToken: "h"))
        #expect(try await session().isLoggedIn == false)
    }

    @Test("Nothing that is printed of a login holds a secret")
    func redacted() {
        let tokens = SessionTokens(accessToken: "a1secret", refreshToken: "r1secret")
        var text = "\(tokens) \(String(reflecting: tokens))"
        dump(Credentials(accessToken: "a1secret", password: "p1secret", apiKey: "k1secret"), to: &text)
        text += "\(Credentials(refreshToken: "r1secret", userID: "u1secret", userName: "n1secret"))"
        #expect(!text.contains("secret"))
        #expect(text.contains("refresh-token"))
    }
}
