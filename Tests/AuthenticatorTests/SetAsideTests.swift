import Authorization
import BrokerProtocol
import Foundation
import Platform
import Testing
import Varlink

@testable import Authenticator

/// Root sets a vault aside. Its record moves, and nothing is lost or replaced.
@Suite(.timeLimit(.minutes(30)))
struct SetAsideTests {
    private static let stamp = "2026-01-02T030405Z"

    private static func ask(
        _ stage: Fixture, owner: String? = nil, stamp: String = Self.stamp
    ) throws -> Result<BrokerProtocol.Authentication.SetAside.Reply, Fault> {
        var client = try stage.client()
        return try client.call(
            BrokerProtocol.Authentication.SetAside(owner: owner ?? stage.record.owner.text, stamp: stamp))
    }

    @Test func theRecordMovesAsItIs() throws {
        let stage = try Fixture()
        let content = try DurableFile.read(stage.registry.path(of: stage.record.owner), limit: Registry.longestRecord)
        let path = try #require(try Self.ask(stage).get().record)
        #expect(path.hasPrefix(stage.registry.setAsideDirectory + "/"))
        #expect(try DurableFile.read(path, limit: Registry.longestRecord) == content)
        #expect(try stage.registry.record(for: stage.record.owner) == nil)
        #expect(try stage.registry.setAsideRecords() == [stage.record])
        // What an interruption left is completed, and there is no more to do.
        #expect(try Self.ask(stage).get().record == nil)
    }

    @Test func aRecordThatWasSetAsideIsNeverReplaced() throws {
        let stage = try Fixture()
        let first = try #require(try Self.ask(stage).get().record)
        try stage.registry.write(stage.record)
        #expect(throws: Fault.self) { try Self.ask(stage).get() }
        #expect(try stage.registry.record(for: stage.record.owner) == stage.record)
        #expect(try FileStatus.of(first) != nil)
    }

    @Test(arguments: ["", "..", "../x", "a/b", String(repeating: "1", count: 33)])
    func noTimeLeadsElsewhere(stamp: String) throws {
        let stage = try Fixture()
        #expect(throws: Fault.self) { try Self.ask(stage, stamp: stamp).get() }
        #expect(throws: Fault.self) { try Self.ask(stage, owner: "user:1/../2").get() }
        #expect(try stage.registry.record(for: stage.record.owner) == stage.record)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func onlyRootMayAsk() throws {
        let stage = try Fixture()
        let call = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX); s.settimeout(600); s.connect(sys.argv[1])
            s.send(sys.argv[2].encode() + b'\\0'); print(s.recv(4096).decode())
            """
        let text =
            #"{"method":"org.coffer.Authentication.SetAside","parameters":{"owner":"\#(stage.record.owner.text)","stamp":"\#(Self.stamp)"}}"#
        let answer = try Command(
            [
                "/usr/bin/setpriv", "--reuid=1", "--regid=1", "--clear-groups", "/usr/bin/python3", "-c", call,
                "\(stage.path)/auth.sock", text,
            ], input: "")
        #expect(answer.output.contains("Failed") && answer.output.contains("denied"), "\(answer.output)")
        #expect(try stage.registry.record(for: stage.record.owner) == stage.record)
    }
}
