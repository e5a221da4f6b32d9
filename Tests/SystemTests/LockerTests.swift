import Foundation
import TestSupport
import Testing

/// A screen locker that runs as its user, with the real account's password, `pam_unix`, `pam_coffer`, authenticator,
/// broker and TPM.
@Suite(.enabled(if: getuid() == 0, "only root can make accounts and PAM services"), .serialized) struct LockerTests {
    /// The module beside the sandbox, where every user can read it, and a system service that uses it.
    private final class Locker {
        let service = "coffer-test-\(UUID().uuidString.prefix(13).lowercased())"
        let sandbox: Sandbox
        let account: RealAccount

        init(_ sandbox: Sandbox, _ account: RealAccount) throws {
            self.sandbox = sandbox
            self.account = account
            let built = try Command(
                program: SourceTree.path("scripts/build-pam"), arguments: [],
                environment: ProcessInfo.processInfo.environment, limit: .seconds(1800)
            ).run()
            try #require(built.code == 0, "\(built)")
            let module = sandbox.folder + "/pam_coffer.so"
            try FileManager.default.copyItem(atPath: SourceTree.path(".build-pam/pam_coffer.so"), toPath: module)
            let auth = try #require(sandbox.variables["COFFER_SOCKET"])
            let folder = (auth as NSString).deletingLastPathComponent
            try """
            auth [success=1 default=ignore] pam_unix.so
            auth requisite pam_deny.so
            auth optional \(module) broker=\(auth) auth=\(folder)/auth.sock patience=99
            auth required pam_permit.so

            """.write(toFile: "/etc/pam.d/\(service)", atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "/etc/pam.d/\(service)")
        }

        /// The person comes back and types the password.
        func leave(with password: String) throws -> Outcome {
            try Command(
                program: "/usr/bin/setpriv",
                arguments: [
                    "--reuid=\(account.uid)", "--regid=\(account.uid)", "--clear-groups", "/usr/bin/pamtester", service,
                    account.name, "authenticate",
                ], environment: ["PATH": "/usr/bin:/bin"], input: Array((password + "\n").utf8)
            ).run()
        }

        var state: String {
            get throws { try sandbox.coffer("status", uid: account.uid).text }
        }

        deinit {
            // If the service file stays behind, it lets nobody in without a password.
            try? FileManager.default.removeItem(atPath: "/etc/pam.d/\(service)")
        }
    }

    @Test func theUnlockedScreenOpensTheKeychainAndAWrongPasswordDoesNot() throws {
        let account = try RealAccount(password: "correct \"horse\\ö")
        let sandbox = try Sandbox("--pam-dir", SourceTree.path("pam"), reachable: true)
        let locker = try Locker(sandbox, account)
        // A locker makes no vault.
        let first = try locker.leave(with: "correct \"horse\\ö")
        #expect(first.code == 0, "\(first)")
        let state = try locker.state
        #expect(state.contains("Vault: none"), "\(state)")
        #expect(try sandbox.coffer("unlock", password: "correct \"horse\\ö", uid: account.uid).code == 0)
        #expect(try sandbox.coffer("set", "s", "a", input: [7], uid: account.uid).code == 0)
        #expect(try sandbox.coffer("lock", uid: account.uid).code == 0)

        let wrong = try locker.leave(with: "battery staple")
        #expect(wrong.code != 0, "\(wrong)")
        #expect(try sandbox.coffer("get", "s", "a", "--no-prompt", uid: account.uid).code == 5)

        let right = try locker.leave(with: "correct \"horse\\ö")
        #expect(right.code == 0, "\(right)")
        #expect(!right.text.lowercased().contains("coffer") && !right.errors.lowercased().contains("coffer"))
        #expect(try sandbox.coffer("get", "s", "a", "--no-prompt", uid: account.uid).output == [7])
        try sandbox.expectTPMEmpty()
    }

    @Test func withoutABrokerTheLockerGoesOn() throws {
        let account = try RealAccount(password: "correct horse")
        let sandbox = try Sandbox("--pam-dir", SourceTree.path("pam"), reachable: true)
        let locker = try Locker(sandbox, account)
        #expect(try sandbox.coffer("unlock", password: "correct horse", uid: account.uid).code == 0)
        #expect(try sandbox.coffer("lock", uid: account.uid).code == 0)
        try sandbox.script("stop-broker")
        let start = ContinuousClock.now
        let right = try locker.leave(with: "correct horse")
        #expect(right.code == 0, "\(right)")
        #expect(ContinuousClock.now - start < patience / 4)
    }
}
