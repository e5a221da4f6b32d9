import BrokerProtocol
import CofferTestKit
import Configuration
import Foundation
import Platform
import Testing

/// Real processes of other users (attacker 3). Only root can start them.
@Suite(.timeLimit(.minutes(2)), .enabled(if: ProcessSurroundings.effectiveUser == 0, "needs root"))
struct OtherUserTests {
    private let daemon: UInt32 = 1

    /// A broker with a vault of root's, that other users can reach.
    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: broker.folder.path)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        return (broker, client)
    }

    private func call(_ method: String, _ parameters: String) -> String {
        #"{"method":"org.coffer.Keychain.\#(method)","parameters":{\#(parameters)}}"#
    }

    @Test(
        "another user neither reads, lists, detects nor deletes; what is missing and what is foreign are answered alike"
    )
    func foreign() async throws {
        let (broker, client) = try await prepared()
        let other = try await OtherProcess(socket: broker.configuration.socket, uid: daemon)
        // First without a vault of their own, then with one.
        for round in 0..<2 {
            if round == 1 {
                let asked = try await other.say(call("Unlock", ""))
                let id = try #require(try Varlink.decode(Fault.self, from: Array(asked.utf8)).details.challenge)
                try await broker.authenticator.grant(id, uid: daemon, process: other.identity)
                #expect(try await other.say(call("Unlock", #""challenge":"\#(id)""#)).contains("unlocked"))
            }
            for method in ["Get", "Show", "Delete"] {
                let there = try await other.say(call(method, #""service":"s","account":"a""#))
                let nowhere = try await other.say(call(method, #""service":"s","account":"nowhere""#))
                #expect(there.contains("NotFound") && there == nowhere)
            }
            #expect(try await other.say(call("Exists", #""service":"s""#)).contains("false"))
            #expect(try await other.say(call("List", "")).contains(#""items":[]"#))
            #expect(try await other.say(call("Search", #""text":"s""#)).contains(#""items":[]"#))
        }
        #expect(try await client.call(Keychain.Get(service: "s", account: "a")).value == someValue)
        await broker.stop()
    }

    @Test("nobody, and users without an account, get no keychain")
    func nameless() async throws {
        let (broker, _) = try await prepared()
        let nobody = try await OtherProcess(socket: broker.configuration.socket, uid: 65534)
        #expect(try await nobody.say(call("List", "")) == "EOF")
        let unknown = try await OtherProcess(socket: broker.configuration.socket, uid: 54321)
        #expect(try await unknown.say(call("Set", #""service":"s","account":"a","value":"""#)).contains("NotPermitted"))
        await broker.stop()
    }

    @Test("the private socket cannot be opened by another user, nor used where it can")
    func privateSocket() async throws {
        let (broker, _) = try await prepared()
        let path = broker.configuration.authenticatorSocket
        await #expect(throws: Tool.Failure.self) { _ = try await OtherProcess(socket: path, uid: daemon) }
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        let other = try await OtherProcess(socket: path, uid: daemon)
        let describe =
            #"{"method":"org.coffer.Broker.Describe","parameters":{"challenge":"x","uid":0,"pid":1,"startTime":1}}"#
        let answer = try await other.say(describe)
        #expect(answer.contains("PermissionDenied") || answer == "EOF")
        await broker.stop()
    }
}
