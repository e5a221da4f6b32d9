import Authorization
import BrokerProtocol
import Foundation
import Platform
import RootConfiguration
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// What must hold before the broker starts, what it warns of, and what it opens.
@Suite(.timeLimit(.minutes(30)))
struct BrokerStartTests {
    @Test("the private socket is open to others only if the authenticator is another account")
    func privateSocket() async throws {
        for (user, mode) in [(nil, 0o600), ("daemon", 0o666)] as [(String?, UInt32)] {
            let broker = try await throwAwayBroker { if let user { $0.authenticatorUser = user } }
            #expect(try FileStatus.of(broker.configuration.authenticatorSocket)?.mode == mode)
            #expect(try FileStatus.of(broker.configuration.socket)?.mode == 0o666)
            await broker.stop()
        }
    }

    @Test("an authenticator without an account is told with the setting that names it")
    func noAccount() async throws {
        let refused = await #expect(throws: BrokerStartError.self) {
            _ = try await throwAwayBroker { $0.authenticatorUser = "no-such-account" }
        }
        #expect(refused?.reason.contains("there is no “no-such-account”") == true)
        #expect(refused?.advice == "set “authenticator-user” in the configuration")
        #expect(refused?.description.hasSuffix("; set “authenticator-user” in the configuration") == true)
        #expect(BrokerStartError(reason: "why").description == "why")
    }

    @Test("only a sandbox's broker may run as root, and others may run any")
    func user() throws {
        let isRoot = OwnProcess.effectiveUser == 0
        var configuration = Configuration()
        var refused: BrokerStartError?
        do throws(BrokerStartError) { try BrokerStart.checkUser(configuration) } catch { refused = error }
        #expect((refused?.advice.contains("“coffer”") ?? false) == isRoot)
        configuration.sandbox = true
        #expect(throws: Never.self) { try BrokerStart.checkUser(configuration) }
    }

    @Test("each setting that weakens the guarantees has a warning of its own")
    func warnings() {
        let root = OwnProcess.effectiveUser == 0 ? ["The broker runs as root"] : []
        func begins(_ sandbox: Bool, _ sealer: SealerKind) -> [String] {
            var configuration = Configuration()
            configuration.sandbox = sandbox
            return BrokerStart.warnings(configuration, sealer: sealer).map { warning in
                String(warning.prefix { $0 != ":" })
            }
        }
        #expect(begins(false, .tpm) == root)
        #expect(begins(true, .tpm) == ["This is a sandbox"] + root)
        let software = "Keys are sealed by software"
        #expect(begins(false, .software) == root + [software])
        #expect(begins(true, .software) == ["This is a sandbox"] + root + [software])
    }

    @Test("connections take at most half of the descriptors, two each, and the rest is for vaults and the TPM")
    func descriptors() async throws {
        let cofferd = try Cofferd(limits: "ulimit -n 256")
        // Of sixty-four connections a quarter is kept for users with few.
        var clients: [WireClient] = []
        for number in 0..<48 {
            let client = try WireClient(cofferd.socket)
            #expect(try await client.call(Keychain.List()).items.isEmpty, "\(number)")
            clients.append(client)
        }
        let bytes = try await WireClient(cofferd.socket).message()
        let refused = try Varlink.decode(Fault.self, from: bytes)
        #expect(refused.name == .limitExceeded)
        #expect(refused.details.message?.contains("room for 64 connections") == true, "\(refused)")
        for client in clients { await client.close() }
        try cofferd.end()
    }

    @Test("a broker that stops closes every connection and takes no new one")
    func stopped() async throws {
        let broker = try await throwAwayBroker()
        let (client, line) = (try broker.client(), try broker.authenticator.connect())
        _ = try await client.call(Keychain.List())
        _ = try await line.call(BrokerInterface.Report(uid: Int64(OwnProcess.effectiveUser)))
        await broker.stop()
        for one in [client, line] {
            await #expect(throws: WireClient.Closed.self) { _ = try await one.message() }
        }
        for path in [broker.configuration.socket, broker.configuration.authenticatorSocket] {
            #expect(throws: SystemError.self) { _ = try UnixSocket(connectingTo: path) }
        }
    }

    /// Says what the service manager is told, until it is told to end.
    private static let manager = """
        import socket, sys
        line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); line.bind(sys.argv[1])
        while (word := line.recv(100).decode()) != "end": print(word, flush=True)
        """

    private static let end = """
        import socket, sys
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"end", sys.argv[1])
        """

    @Test("the service manager is told when the broker is ready, and when it begins to stop")
    func manager() async throws {
        let folder = try TemporaryFolder()
        let (socket, output) = (folder.path + "/notify", folder.path + "/told")
        let manager = try Subprocess("/usr/bin/python3", ["-c", Self.manager, socket]) { $0.output = .file(output) }
        func told() throws -> [String] {
            try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        try await until("it listens") { FileManager.default.fileExists(atPath: socket) }
        let cofferd = try Cofferd(environment: ["NOTIFY_SOCKET": socket])
        try await until("it is told") { try told() == ["READY=1"] }
        try cofferd.end()
        try Tool.output("python3", ["-c", Self.end, socket])
        #expect(try manager.finish() == 0)
        #expect(try told() == ["READY=1", "STOPPING=1"])
    }

    /// How much later a timer fires than it should is the machine's matter. It must not fire before.
    @Test func theMachinesTimersAreNotEarly() async {
        let begun = ContinuousClock.now
        await withCheckedContinuation { continuation in
            BrokerClock.system.after(.milliseconds(1200)) { continuation.resume() }
        }
        #expect(ContinuousClock.now - begun >= .milliseconds(1190))
        #expect(BrokerClock.system.now() >= begun)
    }
}
