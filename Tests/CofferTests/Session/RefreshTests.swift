import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferClient
@testable import CofferSessions

struct RefreshTests {
    let backend = ScriptedBackend()
    var keychain: Keychain { Keychain(service: "app", backend: backend) }

    private func session() async throws -> CredentialSession {
        let session = CredentialSession(keychain: keychain, now: backend.now)
        try await session.save(
            Credentials(accessToken: "a1", refreshToken: "r1", userID: "42", userName: "me", password: "p"))
        return session
    }

    @Test("A refresh replaces the tokens and nothing else")
    func replacesTokens() async throws {
        let session = try await session()
        let expires = backend.now().addingTimeInterval(60)
        let tokens = try await session.refresh { old in
            SessionTokens(accessToken: "a2", refreshToken: old + "x", expires: expires)
        }
        #expect(tokens == SessionTokens(accessToken: "a2", refreshToken: "r1x", expires: expires))
        let expected = Credentials(
            accessToken: "a2", accessTokenExpires: expires, refreshToken: "r1x", userID: "42", userName: "me",
            password: "p")
        #expect(try await session.load() == expected)
    }

    @Test("A server that gives no new refresh token keeps the present one valid")
    func keepsRefreshToken() async throws {
        let session = try await session()
        let tokens = try await session.refresh { _ in SessionTokens(accessToken: "a2") }
        #expect(tokens.refreshToken == "r1")
        #expect(try await session.load([.refreshToken]).refreshToken == "r1")
    }

    @Test("Refreshes that overlap use the refresh token once")
    func sharesOneExchange() async throws {
        let session = try await session()
        let gate = Gate()
        let calls = Tally()
        let results = try await withThrowingTaskGroup(of: SessionTokens.self) { group in
            for _ in 0..<20 {
                let copy = session
                group.addTask {
                    try await copy.refresh { _ in
                        calls.add()
                        await gate.pass()
                        return SessionTokens(accessToken: "a2", refreshToken: "r2")
                    }
                }
            }
            #expect(try await eventually { session.refreshes.waiting == 20 })
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(calls.count == 1)
        #expect(Set(results) == [SessionTokens(accessToken: "a2", refreshToken: "r2")])
    }

    @Test("A logout during the exchange is not undone by it")
    func logoutWins() async throws {
        let session = try await session()
        let code = await keychainCode {
            try await session.refresh { _ in
                try await session.logout()
                return SessionTokens(accessToken: "a2", refreshToken: "r2")
            }
        }
        #expect(code == .changedMeanwhile)
        #expect(try await session.isLoggedIn == false)
        #expect(try await keychain.list().isEmpty)
    }

    @Test("An exchange that fails changes nothing")
    func failureChangesNothing() async throws {
        let session = try await session()
        struct Refused: Error {}
        await #expect(throws: Refused.self) { try await session.refresh { _ in throw Refused() } }
        #expect(
            try await session.load([.accessToken, .refreshToken]) == Credentials(accessToken: "a1", refreshToken: "r1"))
        #expect(await keychainCode { try await session.refresh { _ in throw KeychainError(.failed, "no") } } == .failed)
    }

    @Test("A task that is cancelled stops waiting, but the tokens that the server gave are stored")
    func cancelledExchangeIsStored() async throws {
        let session = try await session()
        let (gate, ended) = (Gate(), Gate())
        let task = Task {
            try await session.refresh { _ in
                defer { ended.open() }
                await gate.pass()
                // As a request to a server ends with its task.
                try Task.checkCancellation()
                return SessionTokens(accessToken: "a2", refreshToken: "r2")
            }
        }
        #expect(try await eventually { gate.waiting == 1 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        #expect(try await eventually { ended.isOpen })
        // The server has spent the former token, so only this one is of use.
        #expect(try await eventually { try await session.load([.refreshToken]).refreshToken == "r2" })
    }

    @Test("A task that is cancelled while the person is asked gives up the refresh token's prompt")
    func cancelledPrompt() async throws {
        let session = try await session()
        let (asked, closed) = (Gate(), Gate())
        backend.edit { state in
            state.beforeRead = {
                asked.open()
                do { try await Task.sleep(for: .seconds(100_000)) } catch {
                    closed.open()
                    throw error
                }
            }
        }
        let task = Task { try await session.refresh { _ in SessionTokens(accessToken: "a2") } }
        #expect(try await eventually { asked.isOpen })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await eventually { closed.isOpen })
        #expect(try await session.load([.accessToken]).accessToken == "a1")
    }

    @Test("Without a refresh token nothing is asked of the server")
    func noRefreshToken() async throws {
        let session = CredentialSession(keychain: keychain)
        let code = await keychainCode {
            try await session.refresh { _ in
                Issue.record("the server was asked")
                return SessionTokens(accessToken: "a")
            }
        }
        #expect(code == .notFound)
    }
}

/// Tasks and processes that need an access token when it has expired.
struct AccessTokenTests {
    let backend = ScriptedBackend()
    let server = Server()

    /// Gives each pair of tokens once.
    final class Server: Sendable {
        private let last = Mutex(1)

        /// How often a refresh token was exchanged.
        var exchanges: Int { last.withLock { $0 } - 1 }

        var exchange: @Sendable (String) async throws -> SessionTokens {
            { [self] refreshToken in
                let number = last.withLock { last in
                    last += 1
                    return last
                }
                #expect(refreshToken == "r\(number - 1)")
                return SessionTokens(accessToken: "a\(number)", refreshToken: "r\(number)")
            }
        }
    }

    /// A session as another process would have it.
    private func session() -> CredentialSession {
        CredentialSession(keychain: Keychain(service: "app", backend: backend), now: backend.now)
    }

    /// A session whose access token has expired.
    private func expired() async throws -> CredentialSession {
        let session = session()
        try await session.saveSession(SessionTokens(accessToken: "a1", refreshToken: "r1", expires: backend.now()))
        return session
    }

    @Test("A token that is valid is given without a question to the server")
    func valid() async throws {
        let session = session()
        try await session.saveSession(SessionTokens(accessToken: "a1", refreshToken: "r1"))
        #expect(try await session.accessToken(server.exchange) == "a1")
        #expect(server.exchanges == 0)
    }

    @Test("Tasks that overlap share one exchange")
    func overlapping() async throws {
        let session = try await expired()
        let (gate, server) = (Gate(), server)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await session.accessToken { refreshToken in
                        await gate.pass()
                        return try await server.exchange(refreshToken)
                    }
                }
            }
            #expect(try await eventually { session.refreshes.waiting == 20 })
            gate.open()
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["a2"])
        #expect(server.exchanges == 1)
    }

    @Test(
        "A task that looked before another one's exchange, and asks after it, takes its token",
        arguments: [true, false])
    func late(inOneProcess: Bool) async throws {
        let session = try await expired()
        let (other, server) = (inOneProcess ? session : self.session(), server)
        backend.edit { state in
            state.afterLook = {
                let token = try await other.accessToken(server.exchange)
                #expect(token == "a2")
            }
        }
        #expect(try await session.accessToken(server.exchange) == "a2")
        #expect(server.exchanges == 1)
        #expect(try await session.load([.refreshToken]).refreshToken == "r2")
    }

    @Test("A refresh token that came with a valid access token is not exchanged")
    func laterRefreshToken() async throws {
        let session = try await expired()
        let (other, server) = (self.session(), server)
        // The next read is that of the refresh token.
        backend.edit { state in
            state.beforeRead = {
                let token = try await other.accessToken(server.exchange)
                #expect(token == "a2")
            }
        }
        #expect(try await session.accessToken(server.exchange) == "a2")
        #expect(server.exchanges == 1)
    }

    @Test("Of two processes that exchange at the same time, the first one's tokens stay")
    func twoProcesses() async throws {
        let session = try await expired()
        let (other, server) = (self.session(), server)
        let code = await keychainCode {
            _ = try await session.accessToken { _ in
                let token = try await other.accessToken(server.exchange)
                #expect(token == "a2")
                return SessionTokens(accessToken: "a3", refreshToken: "r3")
            }
        }
        #expect(code == .changedMeanwhile)
        #expect(try await session.accessToken(server.exchange) == "a2")
        #expect(server.exchanges == 1)
    }

    @Test("A refresh exchanges, also if it joins a task that has found a token")
    func refreshJoins() async throws {
        let session = try await expired()
        let (other, server, backend) = (self.session(), server, backend)
        let (found, go) = (Gate(), Gate())
        backend.edit { state in
            state.afterLook = {
                let token = try await other.accessToken(server.exchange)
                #expect(token == "a2")
                // The next look finds that token.
                backend.edit { state in
                    state.afterLook = {
                        found.open()
                        await go.pass()
                    }
                }
            }
        }
        let token = Task { try await session.accessToken(server.exchange) }
        #expect(try await eventually { found.isOpen })
        let tokens = Task { try await session.refresh(server.exchange) }
        #expect(try await eventually { session.refreshes.waiting == 2 })
        go.open()
        #expect(try await token.value == "a2")
        #expect(try await tokens.value == SessionTokens(accessToken: "a3", refreshToken: "r3"))
    }

    @Test("A login that changes at each look is given up")
    func givenUp() async throws {
        let session = try await expired()
        let backend = backend
        let former = try await session.load([.refreshToken]).refreshToken
        #expect(former == "r1")
        @Sendable func change() {
            backend.edit { state in
                state.beforeRead = {
                    try await CredentialSession(keychain: session.keychain, now: backend.now).saveSession(
                        SessionTokens(accessToken: "a1", refreshToken: "r1", expires: backend.now()))
                    change()
                }
            }
        }
        change()
        #expect(await keychainCode { _ = try await session.accessToken(server.exchange) } == .changedMeanwhile)
        #expect(server.exchanges == 0)
    }

    @Test("Without a refresh token the server is not asked")
    func loggedOut() async throws {
        let session = session()
        #expect(await keychainCode { _ = try await session.accessToken(server.exchange) } == .notFound)
        #expect(server.exchanges == 0)
    }
}
