import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import Coffer
@testable import CofferClient

/// Attackers 3 and 9: a socket in the authenticator's place must not catch a password.
@Suite struct TrustTests {
    @Test func onlyRootServesTheInstalledSocket() {
        let installed = SocketPaths()
        #expect(installed.trustsAuthenticator(run: 0, caller: 1000))
        #expect(!installed.trustsAuthenticator(run: 1000, caller: 1000))
        #expect(!installed.trustsAuthenticator(run: 107, caller: 1000))
        let sandbox = SocketPaths(environment: ["COFFER_SOCKET": "/tmp/x/coffer.sock"])
        #expect(sandbox.authenticator == "/tmp/x/auth.sock")
        #expect(sandbox.trustsAuthenticator(run: 0, caller: 1000))
        #expect(sandbox.trustsAuthenticator(run: 1000, caller: 1000))
        #expect(!sandbox.trustsAuthenticator(run: 1001, caller: 1000))
    }

    @Test func pathsComeFromTheEnvironmentOnly() {
        #expect(SocketPaths(environment: [:]) == SocketPaths())
        #expect(SocketPaths(environment: ["COFFER_AUTH_SOCKET": "/a"]) == SocketPaths(authenticator: "/a"))
        #expect(
            SocketPaths(environment: ["COFFER_SOCKET": "/b/c", "COFFER_AUTH_SOCKET": "/a"])
                == SocketPaths(broker: "/b/c", authenticator: "/a"))
    }

    /// Another user listens in the authenticator's place. Nothing is asked, and nothing is sent.
    @Test(.enabled(if: geteuid() == 0, "needs two users"))
    func aSocketOfAnotherUserGetsNoPassword() throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.personNeeded()]])
        let caught = fixture.scratch.file("caught")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: fixture.scratch.path)
        let arguments = [
            "--reuid=4242", "--regid=4242", "--clear-groups", "perl", "-MIO::Socket::UNIX", "-e",
            """
            my $l = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 5) or die; chmod 0777, $ARGV[0];
            $| = 1; print "ready\\n"; my $c = $l->accept; my $n = sysread $c, my $b, 4096;
            open my $f, '>', $ARGV[1]; print $f ($n // 0); close $f;
            """, fixture.scratch.file("evil.sock"), caught,
        ]
        let listener = try Subprocess("/usr/bin/setpriv", arguments) { $0.output = .pipe }
        defer { do { try listener.end() } catch { Issue.record(error) } }
        #expect(try listener.read(limit: 6) == Array("ready\n".utf8))
        var program = fixture.program
        program.environment["COFFER_AUTH_SOCKET"] = fixture.scratch.file("evil.sock")
        let result = try program.run("get", "github", "me", turns: [])
        #expect(result.status == 9)
        #expect(result.errors.contains("is served by uid 4242, not by root, so no password was asked for"))
        try listener.finish()
        #expect(String(decoding: try fixture.scratch.contents("caught"), as: UTF8.self) == "0")
    }
}
