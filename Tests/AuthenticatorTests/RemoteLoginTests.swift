import Foundation
import Platform
import TestSupport
import Testing

/// A real sshd serves one connection of a real ssh over a pipe, so no port is open. Its PAM service has `pam_coffer`.
@Suite(
    "pam_coffer in a real sshd", .serialized,
    .enabled(
        if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/sbin/sshd"),
        "needs root, and openssh-server"))
struct RemoteLoginTests {
    /// The program that uses PAM: sshd itself, or its helper since OpenSSH 9.8.
    private static let programs = [
        "/usr/sbin/sshd", "/usr/lib/openssh/sshd-session", "/usr/libexec/openssh/sshd-session",
    ]
    private static let listed = "login-programs = \(programs.joined(separator: " "))"

    private final class Server {
        let fixture: Fixture
        private let service: SystemService

        init(_ settings: String = "") throws {
            fixture = try Fixture(.init(settings: settings))
            let path = fixture.path
            service = try SystemService(
                rules: """
                    auth required pam_exec.so expose_authtok quiet \(path)/pam/check
                    auth optional \(LoginModule.built.get()) socket=\(path)/report.sock patience=99
                    auth required pam_permit.so
                    account required pam_permit.so
                    session required pam_permit.so

                    """)
            try Folder.make("/run/sshd", mode: 0o755)
            // sshd's PAM service has the name under which sshd was called.
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/\(service.name)", withDestinationPath: "/usr/sbin/sshd")
            for key in ["host", "user"] {
                let made = try Command(["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "\(path)/\(key)"])
                try #require(made.code == 0, "\(made.output)")
            }
            let settings = """
                HostKey \(path)/host
                AuthorizedKeysFile \(path)/user.pub
                StrictModes no
                UsePAM yes
                PasswordAuthentication yes
                KbdInteractiveAuthentication yes
                PermitRootLogin yes
                PidFile none
                ForceCommand echo in'si'de

                """
            try DurableFile.write(Array(settings.utf8), to: "\(path)/sshd.conf", mode: 0o600)
        }

        /// - Parameter ways: ssh's names of the methods, in the order in which ssh tries them.
        func login(_ ways: String, password: String = Fixture.password) throws -> Command {
            let path = fixture.path
            try Script.write("#!/bin/sh\necho '\(password)'\n", to: "\(path)/askpass")
            return try Command(
                [
                    "/usr/bin/env", "SSH_ASKPASS=\(path)/askpass", "SSH_ASKPASS_REQUIRE=force", "/usr/bin/ssh", "-F",
                    "none",
                    "-o", "ProxyCommand=\(path)/\(service.name) -i -f \(path)/sshd.conf -E \(path)/sshd.log",
                    "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
                    "-o", "PreferredAuthentications=\(ways)", "-o", "NumberOfPasswordPrompts=1", "-o",
                    "IdentitiesOnly=yes",
                    "-i", "\(path)/user", "\(fixture.account.name)@nowhere",
                ])
        }

        // Only read if a test has failed.
        var log: String {
            fixture.log + ((try? String(contentsOfFile: "\(fixture.path)/sshd.log", encoding: .utf8)) ?? "")
        }
    }

    @Test(arguments: ["password", "keyboard-interactive"])
    func aPasswordOpensTheKeychainWhereRootHasListedSshd(way: String) throws {
        let server = try Server(Self.listed)
        let login = try server.login(way)
        #expect(login.code == 0 && login.output.contains("inside"), "\(login.output) \(server.log)")
        #expect(!login.output.lowercased().contains("coffer"))
        #expect(server.fixture.broker.reports == [Int64(server.fixture.account.uid)], "\(server.log)")
        #expect(server.fixture.broker.completions.count == 1)
        // sshd is not a screen. While a screen is locked, the broker refuses its report.
        #expect(server.fixture.broker.screens == [false])
    }

    @Test func asInstalledAPasswordOpensNothing() throws {
        let server = try Server()
        let login = try server.login("password")
        #expect(login.code == 0 && login.output.contains("inside"), "\(login.output) \(server.log)")
        #expect(eventually { server.fixture.log.contains("is not among login-programs") }, "\(server.log)")
        #expect(server.fixture.broker.calls.isEmpty)
    }

    @Test func aKeyOpensNothing() throws {
        let server = try Server(Self.listed)
        let login = try server.login("publickey")
        #expect(login.code == 0 && login.output.contains("inside"), "\(login.output) \(server.log)")
        #expect(server.fixture.broker.calls.isEmpty)
        #expect(!server.fixture.log.contains("login report"))
    }

    @Test(arguments: ["password", "keyboard-interactive"])
    func aKeyAfterAWrongPasswordOpensNothing(way: String) throws {
        let server = try Server(Self.listed)
        let login = try server.login("\(way),publickey", password: "wrong")
        #expect(login.code == 0 && login.output.contains("inside"), "\(login.output) \(server.log)")
        #expect(server.fixture.broker.calls.isEmpty)
        #expect(!server.fixture.log.contains("login report"))
    }
}
