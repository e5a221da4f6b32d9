import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import Coffer

/// `ssh HOST coffer get`: a real sshd serves a real ssh over a pipe, so no port is open.
@Suite(
    .serialized,
    .enabled(
        if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/sbin/sshd"),
        "needs root, and openssh-server"))
struct RemoteShellTests {
    private final class Server: Sendable {
        let fixture: FakeCoffer
        private let service: String

        init(_ fixture: FakeCoffer) throws {
            self.fixture = fixture
            let path = fixture.scratch.path
            // sshd's PAM service has the name under which sshd was called. It lets root in whatever the account says.
            service = "coffer-shell-\(UInt32.random(in: 0 ... .max))"
            try "auth required pam_deny.so\naccount required pam_permit.so\nsession required pam_permit.so\n".write(
                toFile: "/etc/pam.d/\(service)", atomically: true, encoding: .utf8)
            try Folder.make("/run/sshd", mode: 0o755)
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/\(service)", withDestinationPath: "/usr/sbin/sshd")
            for key in ["host", "user"] {
                try Tool.output("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(path)/\(key)"])
            }
            let settings = """
                HostKey \(path)/host
                AuthorizedKeysFile \(path)/user.pub
                StrictModes no
                UsePAM yes
                PermitRootLogin yes
                PidFile none
                PrintMotd no
                PrintLastLog no
                SetEnv COFFER_SOCKET=\(path)/coffer.sock

                """
            try DurableFile.write(Array(settings.utf8), to: "\(path)/sshd.conf", mode: 0o600)
        }

        deinit {
            // A file that stays harms nobody: its service refuses every login.
            try? FileManager.default.removeItem(atPath: "/etc/pam.d/\(service)")
        }

        /// Runs `coffer get github me` on the other side.
        func get(_ options: [String], turns: [Program.Turn]?) throws -> Program.Result {
            let path = fixture.scratch.path
            var ssh = fixture.program
            ssh.executable = "/usr/bin/ssh"
            ssh.environment["TERM"] = "xterm"
            let words = [
                "-F", "none", "-o", "ProxyCommand=\(path)/\(service) -i -f \(path)/sshd.conf -E \(path)/sshd.log", "-o",
                "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o",
                "IdentitiesOnly=yes", "-i", "\(path)/user", "root@nowhere", "\(Program.path) get github me",
            ]
            guard let turns else { return try ssh.run(options + words) }
            return try ssh.run(options + words, input: .terminal, output: .terminal, turns: turns)
        }
    }

    @Test func withATerminalItAsksThere() throws {
        let server = try Server(AgentFixture().coffer)
        let result = try server.get(["-t", "-t"], turns: [.init(wait: "Password: ", type: "CANARY\r")])
        #expect(result.status == 0, "\(result)")
        #expect(result.screen.contains("s3cret") && !result.screen.contains("CANARY"), "\(result)")
    }

    @Test func withoutATerminalItNamesTheWay() throws {
        let server = try Server(AgentFixture().coffer)
        let result = try server.get(["-T"], turns: nil)
        #expect(result.status == 4)
        #expect(
            result.errors.contains(
                "github/me needs authentication, but there is no terminal to ask at; run with ssh -t: coffer get github me, "
                    + "or keep this open in a terminal: coffer agent"), "\(result)")
    }

    /// An agent in a terminal of the remote machine serves what has none.
    @Test func withoutATerminalTheAgentOfTheMachineAsks() throws {
        let fixture = try AgentFixture()
        let server = try Server(fixture.coffer)
        let remote = Box<Program.Result>()
        let done = DispatchSemaphore(value: 0)
        let agent = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") {
                    Thread.detachNewThread {
                        // A failure shows as a result that is missing.
                        remote.value = try? server.get(["-T"], turns: nil)
                        done.signal()
                    }
                },
                .init(wait: "Password: ", type: "CANARY\r"),
                .init(wait: "\n", type: "\u{3}") { done.wait() },
            ])
        #expect(remote.value?.status == 0 && remote.value?.output == AgentFixture.secret, "\(agent)")
    }
}
