import Coffer
import CofferTestKit
import Foundation
import Platform
import TestSupport
import Testing

/// A sandbox of broker and authenticator with an unlocked vault, and a private bus that starts the provider when a client asks.
final class ServiceFixture: Sendable {
    /// nil if the broker is a test's own.
    private let sandbox: SandboxBroker?
    private let paths: SocketPaths
    /// A client of the same broker, beside the provider.
    var backend: BrokerBackend { BrokerBackend(paths: paths) }
    let folder: TemporaryFolder
    private let daemon: Subprocess
    /// The address of the bus.
    let address: String

    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .path
    /// The folder of the checks. It is outside of the target, because SwiftPM has no use for it.
    private static let clients = SourceTree.path("Tests/Clients/SecretService")

    /// What a person sees, and the file from which they answer.
    private var prompts: String { folder.path + "/prompts" }
    private var answer: String { folder.path + "/answer" }

    /// - Parameters:
    ///   - answer: what the person answers to each question; nil if nobody answers.
    ///   - asks: whether the provider has any way to ask.
    ///   - options: the provider's.
    ///   - broker: the socket of a broker that the test has; nil for a sandbox.
    init(
        answer: String? = SandboxBroker.password, asks: Bool = true, options: [String] = [], broker: String? = nil
    ) async throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        sandbox = broker == nil ? try await SandboxBroker(programs: Self.programs) : nil
        paths = sandbox?.paths ?? SocketPaths(broker: broker ?? "", authenticator: folder.path + "/auth.sock")
        // A name that another user can reach, too.
        address = "unix:abstract=/tmp/coffer-test-\(UUID().uuidString)"
        try Self.configuration(folder.path, address).write(
            toFile: folder.path + "/bus.conf", atomically: true, encoding: .utf8)
        try Self.activation(options).write(toFile: folder.path + "/services.service", atomically: true, encoding: .utf8)
        try Self.activation(options, name: "org.freedesktop.impl.portal.desktop.coffer").write(
            toFile: folder.path + "/portal.service", atomically: true, encoding: .utf8)
        try Self.askPass.write(toFile: folder.path + "/askpass", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path + "/askpass")
        if let answer { try answer.write(toFile: folder.path + "/answer", atomically: true, encoding: .utf8) }
        var environment = [
            "PATH": "\(Self.programs):/usr/bin:/bin", "PROMPTS": folder.path + "/prompts",
            "ANSWER": folder.path + "/answer",
        ]
        if asks { environment["COFFER_ASKPASS"] = folder.path + "/askpass" }
        environment.merge(["COFFER_SOCKET": paths.broker, "COFFER_AUTH_SOCKET": paths.authenticator]) { $1 }
        let variables = environment
        // Without a terminal of its own, as a desktop's bus.
        daemon = try Subprocess(
            "/usr/bin/dbus-daemon", ["--config-file=\(folder.path)/bus.conf", "--nofork", "--print-address"]
        ) {
            $0.environment = variables
            $0.leadsSession = true
            $0.output = .pipe
            $0.errors = .file(folder.path + "/log")
        }
        // The daemon prints its address when it listens.
        _ = try daemon.read(limit: 4096)
    }

    private static func configuration(_ folder: String, _ address: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>\(address)</listen>
          <auth>EXTERNAL</auth>
          <servicedir>\(folder)</servicedir>
          <!-- The limits of a desktop's bus. libsecret has a call and a match rule for each item. -->
          <limit name="max_replies_per_connection">50000</limit><limit name="max_match_rules_per_connection">50000</limit>
          <policy context="default">
            <allow user="*"/><allow own="*"/><allow send_type="signal"/>
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
          </policy>
        </busconfig>
        """
    }

    private static func activation(_ options: [String], name: String = "org.freedesktop.secrets") -> String {
        """
        [D-BUS Service]
        Name=\(name)
        Exec=\((["\(programs)/coffer-secret-service"] + options).joined(separator: " "))
        """
    }

    private static let askPass = """
        #!/bin/sh
        echo $$ >>"$PROMPTS.processes"
        printf '%s\\n--\\n' "$COFFER_ASKPASS_PROMPT" >>"$PROMPTS"
        until [ -e "$ANSWER" ]; do sleep 0.02; done
        exec cat "$ANSWER"
        """

    /// Runs a program on the bus to its end.
    func run(_ program: String, _ arguments: [String], input: String? = nil) throws -> Tool.Result {
        let variables = [
            "DBUS_SESSION_BUS_ADDRESS=\(address)", "PROMPTS=\(prompts)", "ANSWER=\(answer)",
            "PYTHONDONTWRITEBYTECODE=1", "COFFER_SOCKET=\(paths.broker)",
            "PORTAL=" + SourceTree.path("packaging/dbus/coffer.portal"),
            "PROVIDER=\(Self.program("coffer-secret-service"))", "ASKPASS=\(askPass)",
        ]
        guard let input else { return try Tool.run("env", variables + [program] + arguments) }
        // The shell's own input is the text.
        return try Tool.run(
            "env",
            variables + ["sh", "-c", "text=$1; shift; printf %s \"$text\" | \"$@\"", "sh", input, program] + arguments)
    }

    /// Searches for nothing.
    /// - Parameter prefix: a program that does it, with its arguments.
    func search(as prefix: [String] = []) throws -> Tool.Result {
        try Tool.run(
            "env",
            prefix + [
                "dbus-send", "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.secrets",
                "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.SearchItems", "dict:string:string:",
            ])
    }

    /// Runs a function of a file of checks. An issue says what was wrong.
    /// - Parameter file: the file that has it.
    func check(
        _ name: String, in file: String = "checks.py", at place: SourceLocation = #_sourceLocation
    ) throws {
        let result = try run("/usr/bin/python3", [Self.clients + "/" + file, name])
        guard result.status != 0 else { return }
        Issue.record("\(name): \(result.output)\(result.errors)\(try log)", sourceLocation: place)
    }

    /// What the bus and the provider have written to their standard error. A line that is just being written may end in half a character.
    var log: String {
        get throws { String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path + "/log")), as: UTF8.self) }
    }

    /// A program that asks the person, for other programs than the provider.
    var askPass: String { folder.path + "/askpass" }

    /// All that a person was shown.
    var shown: String {
        get throws {
            guard FileManager.default.fileExists(atPath: prompts) else { return "" }
            return try String(contentsOfFile: prompts, encoding: .utf8)
        }
    }

    /// The person answers the open question, and all later ones.
    func give(_ answer: String) throws { try answer.write(toFile: self.answer, atomically: true, encoding: .utf8) }

    /// The user's keychain, for items of other programs. Nobody is asked.
    func keychain(_ service: String) -> Keychain {
        Keychain(service: service, prompts: .never, backend: BrokerBackend(paths: paths))
    }

    /// The program that is built with the tests.
    static func program(_ name: String) -> String { "\(programs)/\(name)" }

    /// The broker's socket.
    var socket: String { paths.broker }

    /// Ends the sandbox's broker and starts it again. Its vault is sealed then.
    func restartBroker() async throws { try await sandbox?.restartBroker() }

    /// The process of the provider, which a client has started.
    var provider: Int32 {
        get throws {
            let answer = try Tool.output(
                "dbus-send",
                [
                    "--bus=\(address)", "--print-reply=literal", "--dest=org.freedesktop.DBus",
                    "/org/freedesktop/DBus", "org.freedesktop.DBus.GetConnectionUnixProcessID",
                    "string:org.freedesktop.secrets",
                ])
            return try #require(answer.split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0) })
        }
    }

    func end() async {
        // A daemon that has ended already is gone, which is all that is wanted. Its services end with it.
        try? daemon.end()
        await sandbox?.stop()
    }
}
