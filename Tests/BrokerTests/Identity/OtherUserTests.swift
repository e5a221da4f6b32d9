import BrokerProtocol
import Foundation
import Glibc
import Platform
import RootConfiguration
import TestSupport
import Testing
import Varlink

/// Real processes of other users (attacker 3). Only root can start them.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
struct OtherUserTests {
    private let daemon: UInt32 = 1

    /// A broker with root's vault, which other users can reach.
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
        // First the other users have no vault of their own, then they have one.
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

    /// What can be wrong with one user's files.
    private static let damages:
        [(name: String, apply: @Sendable (_ vaults: String, _ registry: String) throws -> Void)] =
            [
                ("no vault file", { vaults, _ in try FileManager.default.removeItem(atPath: vaults + ".vault") }),
                ("an empty one", { vaults, _ in try replace(vaults + ".vault", with: []) }),
                ("noise", { vaults, _ in try replace(vaults + ".vault", with: [UInt8](repeating: 7, count: 20_000)) }),
                ("half of one", { vaults, _ in try cut(vaults + ".vault") }),
                ("a folder", { vaults, _ in try folder(vaults + ".vault") }),
                ("a link", { vaults, _ in try link(vaults + ".vault") }),
                ("a pipe", { vaults, _ in try pipe(vaults + ".vault") }),
                ("a pipe for a log", { vaults, _ in try pipe(vaults + ".log") }),
                ("a folder for a log", { vaults, _ in try folder(vaults + ".log") }),
                (
                    "noise for a log",
                    { vaults, _ in try replace(vaults + ".log", with: [UInt8](repeating: 255, count: 999)) }
                ),
                ("noise for a note", { vaults, _ in try replace(vaults + ".vault.next.json", with: Array("{}".utf8)) }),
                ("a pipe for a note", { vaults, _ in try pipe(vaults + ".vault.next.json") }),
                ("noise for a successor", { vaults, _ in try replace(vaults + ".vault.next", with: [1, 2, 3]) }),
                ("a folder for a successor", { vaults, _ in try folder(vaults + ".vault.next") }),
                ("a pipe for a successor's log", { vaults, _ in try pipe(vaults + ".log.next") }),
                ("no record", { _, registry in try FileManager.default.removeItem(atPath: registry) }),
                ("an empty record", { _, registry in try replace(registry, with: []) }),
                ("a record that is a pipe", { _, registry in try pipe(registry) }),
                ("a record that is a folder", { _, registry in try folder(registry) }),
                ("a record that anybody can write", { _, registry in _ = unsafe chmod(registry, 0o666) }),
                (
                    "a record of impossible numbers",
                    { _, registry in
                        let text = try String(contentsOfFile: registry, encoding: .utf8)
                        try replace(
                            registry,
                            with: Array(
                                text.replacing("\"format\" : 1", with: "\"format\" : -9223372036854775808").utf8))
                    }
                ),
            ]

    private static func replace(_ path: String, with bytes: [UInt8]) throws {
        // The file may not exist.
        try? FileManager.default.removeItem(atPath: path)
        try DurableFile.write(bytes, to: path, mode: 0o644)
    }

    private static func cut(_ path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try replace(path, with: Array(bytes.prefix(bytes.count / 2)))
    }

    private static func folder(_ path: String) throws {
        // The file may not exist.
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    private static func link(_ path: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: path + ".elsewhere")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".elsewhere")
    }

    private static func pipe(_ path: String) throws {
        // The file may not exist.
        try? FileManager.default.removeItem(atPath: path)
        let result = unsafe mkfifo(path, 0o600)
        try #require(result == 0)
    }

    @Test(
        "whatever is wrong with one user's files is that user's: the broker starts, answers them, and serves the others",
        .timeLimit(.minutes(30)))
    func damage() async throws {
        let (first, client) = try await prepared()
        let other = try await OtherUser(first, daemon)
        #expect(try await other.pass("Unlock").contains("unlocked"))
        #expect(try await other.say("Set", #""service":"s","account":"a","value":"""#).contains("item"))
        await first.stop()
        _ = client
        let vaults = first.configuration.vaultDirectory
        let (vault, registry) = (vaults + "/user-1", first.authenticator.registry.path(of: .user(daemon)))
        // Names that belong to nobody.
        for name in ["user--1.vault", "user-4294967296.vault", "user-.vault.next.json", "group-x.log", "..vault"] {
            try Self.replace("\(vaults)/\(name)", with: [0])
        }
        try Self.replace(registry + ".json", with: [0])
        let saved = first.folder.path + "/saved"
        try FileManager.default.createDirectory(atPath: saved, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: vaults, toPath: saved + "/vaults")
        try FileManager.default.copyItem(atPath: registry, toPath: saved + "/record")
        for (name, apply) in Self.damages {
            try FileManager.default.removeItem(atPath: vaults)
            try FileManager.default.copyItem(atPath: saved + "/vaults", toPath: vaults)
            // The file may not exist.
            try? FileManager.default.removeItem(atPath: registry)
            try FileManager.default.copyItem(atPath: saved + "/record", toPath: registry)
            try apply(vault, registry)
            let broker = try await throwAwayBroker(folder: first.folder, authenticator: first.authenticator)
            let reader = try broker.client()
            let victim = try await OtherUser(broker, daemon)
            for method in ["List", "Status", "Log", "Unlock"] {
                #expect(try await victim.say(method) != "EOF", "\(name): \(method)")
            }
            _ = try await broker.call(reader, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
            #expect(try await reader.call(Keychain.Get(service: "s", account: "a")).value == someValue, "\(name)")
            await broker.stop()
        }
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
