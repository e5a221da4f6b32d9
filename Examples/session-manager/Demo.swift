import Coffer
import Foundation
import Synchronization

/// Shows a day with the session manager. scripts/examples compares what it prints.
@main
struct Demo {
    static func main() async {
        do { try await run() } catch {
            print("session-manager: \(error)")
            exit(1)
        }
    }

    private static func run() async throws {
        let clock = Clock()
        let server = LoginServer(now: clock.now)
        let sessions = SessionManager(server: server, now: clock.now)
        try await sessions.logout()

        print("logged in: \(try await sessions.isLoggedIn)")
        try await sessions.login(userName: "kim", password: "correct horse", remember: true)
        print("logged in: \(try await sessions.isLoggedIn)")
        print("profile: \(try await server.profile(sessions.accessToken()))")

        clock.advance(by: 2 * 3600)
        print("two hours later, ten requests at once")
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await server.profile(sessions.accessToken()) } }
            for try await profile in group where profile != "Kim" { print("not Kim's profile") }
        }
        print("exchanged refresh tokens: \(await server.exchanges)")

        print("the application starts again")
        let restarted = SessionManager(server: server, now: clock.now)
        print("logged in: \(try await restarted.isLoggedIn)")

        try await restarted.endSession()
        print("session ended, logged in: \(try await restarted.isLoggedIn)")
        try await restarted.loginAgain()
        print("signed in with the stored password, profile: \(try await server.profile(restarted.accessToken()))")

        try await restarted.logout()
        print("logged out, logged in: \(try await sessions.isLoggedIn)")
        do {
            _ = try await restarted.accessToken()
            print("there is still a token")
        } catch SessionError.loggedOut {
            print("no token")
        }
    }
}

/// A clock that the demo sets forward.
final class Clock: Sendable {
    private let offset = Mutex<TimeInterval>(0)

    var now: @Sendable () -> Date { { [self] in Date() + offset.withLock { $0 } } }

    func advance(by seconds: TimeInterval) { offset.withLock { $0 += seconds } }
}
