import Foundation
import TestSupport
import Testing

/// A login by finger, without any password: the real pam_fprintd and the real pam_coffer in a login program's stack.
@Suite(.enabled(if: getuid() == 0, "only root's login programs are heard"), .serialized) struct FingerLoginTests {
    /// A login service of the machine. It goes with its value.
    private struct LoginService: ~Copyable {
        let name = "coffer-test-" + UUID().uuidString.prefix(13).lowercased()

        init(_ fixture: FingerFixture) throws {
            let built = try Command(
                program: "\(SourceTree.root)/scripts/build-pam", arguments: [],
                environment: ProcessInfo.processInfo.environment, limit: .seconds(1800)
            ).run()
            try #require(built.code == 0, "\(built)")
            try """
            auth [success=1 default=ignore] \(fixture.fingerModule) max-tries=1 timeout=10
            auth requisite pam_deny.so
            auth optional \(SourceTree.root)/.build-pam/pam_coffer.so socket=\(fixture.sandbox.directory)/report.sock patience=99
            auth required pam_permit.so

            """.write(toFile: "/etc/pam.d/\(name)", atomically: true, encoding: .utf8)
        }

        deinit {
            // If it stays behind, it lets nobody in without a finger.
            try? FileManager.default.removeItem(atPath: "/etc/pam.d/\(name)")
        }

        func login(_ fixture: FingerFixture) throws -> Outcome {
            var environment = ProcessInfo.processInfo.environment
            environment["DBUS_SYSTEM_BUS_ADDRESS"] = fixture.logind.address
            return try Command(
                program: "/usr/bin/pamtester", arguments: [name, fixture.user, "authenticate"], environment: environment
            ).run()
        }
    }

    @Test func aFingerAtTheLoginOpensTheVaultAndAWrongOneDoesNot() throws {
        let fixture = try FingerFixture()
        try fixture.sandbox.configure("login-programs = /usr/bin/pamtester")
        let service = try LoginService(fixture)
        try #require(try fixture.coffer("set", "s", "a", input: "v").code == 0)
        try #require(try fixture.coffer("lock").code == 0)

        try fixture.fprintd.setTouches([.noMatch])
        let refused = try service.login(fixture)
        #expect(refused.code != 0, "\(refused)")
        #expect(try fixture.coffer("get", "s", "a").code == 5)

        try fixture.fprintd.setTouches([.match])
        let login = try service.login(fixture)
        #expect(login.code == 0, "\(login)")
        let read = try fixture.coffer("get", "s", "a")
        #expect(read.code == 0 && read.text == "v", "\(read)")
    }
}
