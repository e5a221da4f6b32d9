import Coffer
import CofferSessions
import Foundation

/// All that the rest of an application knows of its login. Views and network code need nothing else.
struct SessionManager: Sendable {
    private let server: LoginServer
    private let session: CredentialSession

    /// - Parameter now: the time by which tokens expire.
    init(server: LoginServer, now: @escaping @Sendable () -> Date = { Date() }) {
        self.server = server
        // Tokens are read all the time. Reading the password asks the person.
        session = CredentialSession(
            keychain: Keychain(service: "com.example.session-manager"),
            access: [.password: .whenUnlocked.thisDeviceOnly.requiring(.userPresence)], now: now)
    }

    /// Whether to show the application or its login screen. Nobody is asked.
    var isLoggedIn: Bool { get async throws { try await session.isLoggedIn } }

    func login(userName: String, password: String, remember: Bool) async throws {
        let (tokens, userID) = try await server.login(userName: userName, password: password)
        try await session.saveSession(tokens, userID: userID)
        if remember { try await session.saveLogin(userName: userName, password: password) }
    }

    /// Logs in with the password that ``login(userName:password:remember:)`` has stored, if the person agrees.
    func loginAgain() async throws {
        let stored = try await session.load([.userName, .password], reason: "Sign you in")
        guard let userName = stored.userName, let password = stored.password else { throw SessionError.loggedOut }
        try await login(userName: userName, password: password, remember: false)
    }

    /// A token for a request to the server. An expired one is replaced once, however many requests need a new one.
    func accessToken() async throws -> String {
        do {
            return try await session.accessToken { try await server.exchange($0) }
        } catch let error as KeychainError where error.code == .notFound {
            throw SessionError.loggedOut
        }
    }

    /// Ends the session. The stored password stays, for ``loginAgain()``.
    func endSession() async throws { try await session.clearSession() }

    /// Removes everything about the person, all of it or nothing.
    func logout() async throws { try await session.logout() }
}

enum SessionError: Error { case loggedOut }
