import Coffer
import CofferSessions
import Foundation

struct Row03AuthenticationManager: Row {
    let number = 3
    let title = "Authentication manager"

    func run(_ stage: TourRow) async throws {
        let session = CredentialSession(
            keychain: stage.keychain, access: [.password: .whenUnlocked.thisDeviceOnly.requiring(.userPresence)])

        try await stage.verb("access and refresh token are saved and loaded") {
            let expires = Date(timeIntervalSinceNow: 3600)
            try await session.saveSession(
                SessionTokens(accessToken: "access-1", refreshToken: "refresh-1", expires: expires))
            let loaded = try await session.load([.accessToken, .refreshToken])
            try expectEqual(loaded.accessToken, "access-1")
            try expectEqual(loaded.refreshToken, "refresh-1")
            try expect(!loaded.isExpired())
        }
        try await stage.verb("user name and password; the password takes the person") {
            try await session.saveLogin(userName: "me", password: "s3cret")
            _ = stage.person.takeShown()
            let loaded = try await session.load([.userName, .password], reason: "Sign you in")
            try expectEqual(loaded.userName, "me")
            try expectEqual(loaded.password, "s3cret")
            let shown = stage.person.takeShown()
            try expectEqual(shown.questions, 1)
            try expect(shown.text.contains("Sign you in"))
        }
        try await stage.verb("API key") {
            try await session.saveAPIKey("key-1")
            try expectEqual(try await session.load([.apiKey]).apiKey, "key-1")
        }
        try await stage.verb("user id, which a session brings") {
            try await session.saveSession(
                SessionTokens(accessToken: "access-2", refreshToken: "refresh-2"), userID: "42")
            try expectEqual(try await session.load([.userID]).userID, "42")
        }
        try await stage.verb("save and clear a whole session, all or nothing") {
            try await session.save(Credentials(accessToken: "access-3", userID: "43", apiKey: "key-2"))
            let whole = try await session.load()
            try expectEqual(whole, Credentials(accessToken: "access-3", userID: "43", apiKey: "key-2"))
            try await session.clearSession()
            try expectEqual(try await session.load(), Credentials(apiKey: "key-2"))
        }
        try await stage.verb("is logged in, without asking anybody") {
            try expect(try await !session.isLoggedIn)
            try await session.saveSession(
                SessionTokens(accessToken: "old", refreshToken: "refresh-4", expires: Date(timeIntervalSinceNow: -1)))
            try expectEqual(try await session.state(), .needsRefresh)
            try await session.refresh { refreshToken in
                SessionTokens(accessToken: "new for \(refreshToken)")
            }
            try expectEqual(try await session.state(), .active(until: nil))
            try expect(try await session.isLoggedIn)
            try expectEqual(try await session.load([.accessToken]).accessToken, "new for refresh-4")
        }
        try await stage.verb("logout clears session, credentials and API key at once") {
            try await session.saveLogin(userName: "me", password: "s3cret")
            try await session.logout()
            try expect(try await !session.isLoggedIn)
            try expect(try await stage.keychain.list().isEmpty)
        }
    }
}
