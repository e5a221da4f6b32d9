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
