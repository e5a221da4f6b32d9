import Coffer
import CofferSessions
import Foundation

/// Stands for the application's server.
actor LoginServer {
    struct Refused: Error {}

    private let now: @Sendable () -> Date
    private var number = 0
    /// How often a refresh token was exchanged.
    private(set) var exchanges = 0

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    func login(userName: String, password: String) throws -> (tokens: SessionTokens, userID: String) {
        guard userName == "kim", password == "correct horse" else { throw Refused() }
        return (tokens(), "42")
    }

    func exchange(_ refreshToken: String) throws -> SessionTokens {
        // As many servers, it takes each refresh token once.
        guard refreshToken == "refresh-\(number)" else { throw Refused() }
        exchanges += 1
        return tokens()
    }

    func profile(_ accessToken: String) throws -> String {
        guard accessToken == "access-\(number)" else { throw Refused() }
        return "Kim"
    }

    private func tokens() -> SessionTokens {
        number += 1
        return SessionTokens(
            accessToken: "access-\(number)", refreshToken: "refresh-\(number)", expires: now() + 3600)
    }
}
