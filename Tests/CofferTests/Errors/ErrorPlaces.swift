import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient
@testable import CofferTestKit

/// A real broker and a real authenticator, for errors that a test can bring about.
final class RealErrors: Sendable {
    let sandbox: SandboxBroker

    init() async throws { sandbox = try await SandboxBroker(programs: Fixture.programs) }

    var backend: BrokerBackend { sandbox.backend }
    var keychain: Keychain { Keychain(service: "errors", prompts: .never, backend: backend) }
    var folder: String { URL(filePath: sandbox.paths.broker).deletingLastPathComponent().path }

    func end() async { await sandbox.stop() }

    func setGated() async throws(KeychainError) {
        try await keychain.set("x", for: "gated", access: .whenUnlocked.requiring(.userPresence))
    }

    func readGated(_ prompts: Prompts) async throws(KeychainError) {
        try await setGated()
        _ = try await keychain.prompting(prompts).bytes(for: "gated")
    }

    /// Puts a line before those of the sandbox's own PAM service.
    func putPAM(_ line: String) throws {
        let path = folder + "/pam.d/coffer"
        let own = try String(contentsOfFile: path, encoding: .utf8)
        try (line + "\n" + own).write(toFile: path, atomically: true, encoding: .utf8)
    }
}

/// Servers that speak the protocol, for errors that only broken or hostile peers give.
final class FakeErrors: Sendable {
    private let folder: TemporaryFolder
    private let servers: [FakeServer]
    private let keychain: Keychain

    /// - Parameter patience: how long the client waits for the broker.
    init(broker: [FakeServer.Step], authenticator: [FakeServer.Step] = [], patience: Duration = patience) throws {
        folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        servers = [
            try FakeServer(path: paths.broker, ["Get": broker, "Withdraw": [.answer(Nothing())]]),
            try FakeServer(path: paths.authenticator, ["Begin": authenticator]),
        ]
        keychain = Keychain(
            service: "x", prompts: .right, backend: BrokerBackend(paths: paths, patience: patience))
    }

    func read() async throws(KeychainError) { _ = try await keychain.bytes(for: "me") }
}

/// A socket that another user serves. It takes connections, says nothing, and hangs up once it has heard something.
/// The kernel does not name the user 65534: in a user namespace, every user from outside has this number.
final class ForeignAuthenticator: Sendable {
    let path: String
    private let folder: String
    private let process: Subprocess

    private static let program = #"""
        use IO::Socket::UNIX; $| = 1;
        my $s = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 8) or die; chmod 0777, $ARGV[0]; print "ready\n";
        while (my $c = $s->accept) { sysread($c, my $said, 4096); close $c }
        """#

    init(user: UInt32 = 54321) throws {
        folder = "/tmp/coffer-foreign-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        path = folder + "/auth.sock"
        process = try Subprocess(
            "/usr/bin/setpriv",
            ["--reuid", "\(user)", "--regid", "54321", "--clear-groups", "--", "perl", "-e", Self.program, path]
        ) { $0.output = .pipe }
        let said = try process.read(limit: 16)
        #expect(String(decoding: said, as: UTF8.self) == "ready\n")
    }

    deinit {
        // If SIGKILL does not end it, a test cannot end it either.
        try? process.end()
        // A folder that is left behind in /tmp harms nobody.
        try? FileManager.default.removeItem(atPath: folder)
    }
}
