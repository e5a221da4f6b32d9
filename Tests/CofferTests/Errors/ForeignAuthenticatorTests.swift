import Glibc
import Testing

@testable import Coffer
@testable import CofferClient

/// Attacker 4: another user serves the socket that a program of this one takes for the authenticator's.
@Suite(
    "Nothing is said to an authenticator of another user",
    .enabled(if: geteuid() == 0, "only root can become other users"))
struct ForeignAuthenticatorTests {
    private static func code(_ call: () throws(KeychainError) -> Void) -> KeychainError.Code? {
        do throws(KeychainError) { try call() } catch { return error.code }
        return nil
    }

    @Test("by no call that blocks")
    func blocking() throws {
        let foreigner = try ForeignAuthenticator()
        let authenticator = Authenticator(
            paths: SocketPaths(broker: "/nobody", authenticator: foreigner.path), caller: geteuid())
        var prompter: any Prompter = SilentPrompter()
        let codes = [
            Self.code { () throws(KeychainError) in _ = try authenticator.forget() },
            Self.code { () throws(KeychainError) in _ = try authenticator.renewSigningKey() },
            Self.code { () throws(KeychainError) in _ = try authenticator.setAside("user:1", stamp: "t") },
            Self.code { () throws(KeychainError) in _ = try authenticator.biometry() },
            Self.code { () throws(KeychainError) in
                _ = try authenticator.challenge(code: "1", request: "r", identity: "i")
            },
            Self.code { () throws(KeychainError) in try authenticator.authorize(seconds: 1, by: &prompter) },
            Self.code { () throws(KeychainError) in try authenticator.pass("c1", by: &prompter) },
            Self.code { () throws(KeychainError) in try authenticator.pass("c1", by: &prompter, until: AgentStop()) },
        ]
        #expect(codes == Array(repeating: .authenticatorUntrusted, count: codes.count))
    }

    @Test("by no call that suspends")
    func suspending() async throws {
        let foreigner = try ForeignAuthenticator()
        let backend = BrokerBackend(paths: SocketPaths(broker: "/nobody", authenticator: foreigner.path))
        await refused(.authenticatorUntrusted) { () throws(KeychainError) in _ = try await backend.biometrics() }
    }

    @Test("root is trusted everywhere, and the caller away from the installed socket")
    func trust() {
        let (installed, other) = (SocketPaths(), SocketPaths(broker: "/b", authenticator: "/a"))
        #expect(installed.trustsAuthenticator(run: 0, caller: 7) && other.trustsAuthenticator(run: 0, caller: 7))
        #expect(!installed.trustsAuthenticator(run: 7, caller: 7) && other.trustsAuthenticator(run: 7, caller: 7))
        #expect(!other.trustsAuthenticator(run: 8, caller: 7))
    }
}
