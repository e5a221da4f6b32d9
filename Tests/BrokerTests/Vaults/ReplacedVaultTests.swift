import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// The file of a vault is removed while the broker has it open, or another one gets its name. The person hears of it at
/// the next change, and loses nothing.
@Suite(.timeLimit(.minutes(10)))
struct ReplacedVaultTests {
    private struct Fixture {
        let broker: ThrowAwayBroker
        let client: WireClient
        let path: String

        init() async throws {
            broker = try await throwAwayBroker()
            client = try broker.client()
            try await broker.makeVault(client)
            path = VaultFile.path(of: .user(OwnProcess.effectiveUser), in: broker.configuration.vaultDirectory)
            let key = broker.configuration.registryDirectory + "/signing-key.pem"
            try DurableFile.write(Array("-".utf8), to: key, mode: 0o600)
            try await set("plain")
            _ = try await client.call(
                Keychain.Set(service: "s", account: "gated", value: someValue, access: .presence))
        }

        func set(_ account: String) async throws {
            _ = try await client.call(Keychain.Set(service: "s", account: account, value: someValue))
        }

        func read(_ account: String) async throws -> String {
            try await broker.call(client, Keychain.Get(service: "s", account: account, unlock: true)) {
                Keychain.Get(service: "s", account: account, unlock: true, challenge: $0)
            }.value
        }

        func findings(_ check: Keychain.Check) async throws -> [Keychain.Finding] {
            try await client.call(Keychain.Diagnose()).findings.filter { $0.check == check.rawValue }
        }

        /// Takes the file away. Another one comes in its place, or none.
        func replace(by bytes: [UInt8]?) throws {
            try FileManager.default.moveItem(atPath: path, toPath: path + ".former")
            if let bytes { try DurableFile.write(bytes, to: path, mode: 0o600) }
        }

        func putBack() throws {
            // There may be none.
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + ".former", toPath: path)
        }

        func expectReplaced(
            _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> some Sendable
        ) async throws {
            let refused = try await fault(body)
            #expect(
                refused.name == .damaged && refused.details.kind == Keychain.missing, "\(refused)",
                sourceLocation: location)
            #expect(refused.details.message?.contains(path) == true, "\(refused)", sourceLocation: location)
            #expect(
                refused.details.advice?.contains("coffer export") == true, "\(refused)", sourceLocation: location)
        }
    }

    @Test("a backup in the open file's place: nothing is stored, all is read, doctor names it, and it can be undone")
    func replaced() async throws {
        let fixture = try await Fixture()
        let backup = try DurableFile.read(fixture.path, limit: 1 << 24)
        #expect(try await fixture.findings(.files).map(\.verdict) == [.ok])
        try fixture.replace(by: backup)
        for _ in 0..<2 { try await fixture.expectReplaced { try await fixture.set("late") } }
        try await fixture.expectReplaced { try await fixture.client.call(Keychain.Unlock()) }
        #expect(try await fixture.read("plain") == someValue)
        #expect(try await fixture.read("gated") == someValue)
        let found = try await fixture.findings(.files)
        #expect(found.map(\.verdict) == [.problem] && found.first?.message.contains(fixture.path) == true, "\(found)")
        #expect(found.first?.advice?.contains("coffer export") == true, "\(found)")
        // The former file must not be copied over it.
        #expect(found.first?.advice?.hasPrefix("have root move the other file away, and keep it; ") == true, "\(found)")
        #expect(try await fixture.findings(.verification).isEmpty)
        // Also when it is locked, a read opens it. So what only the former file has can still be saved.
        _ = try await fixture.client.call(Keychain.Lock())
        try await fixture.expectReplaced { try await fixture.client.call(Keychain.Unlock()) }
        #expect(try await fixture.read("plain") == someValue)
        #expect(try DurableFile.read(fixture.path, limit: 1 << 24) == backup)
        // Nobody restarts anything.
        try fixture.putBack()
        try await fixture.set("late")
        #expect(try await fixture.findings(.files).map(\.verdict) == [.ok])
        #expect(try await fixture.findings(.verification).map(\.verdict) == [.ok])
        await fixture.broker.stop()
        let again = try await throwAwayBroker(
            folder: fixture.broker.folder, authenticator: fixture.broker.authenticator)
        #expect(try await again.client().call(Keychain.List()).items.map(\.account) == ["gated", "late", "plain"])
        await again.stop()
    }

    @Test("a file that is gone is named once, with what saves the secrets first, and to restore it the broker stops")
    func removed() async throws {
        let fixture = try await Fixture()
        try fixture.replace(by: nil)
        try await fixture.expectReplaced { try await fixture.set("late") }
        #expect(try await fixture.read("gated") == someValue)
        let found = try await fixture.findings(.files)
        #expect(found.map(\.verdict) == [.problem], "\(found)")
        let advice = try #require(found.first?.advice)
        for words in [
            "cp -pL /proc/$(pidof cofferd)/fd/N \(fixture.path)",
            "stop cofferd.socket and cofferd.service, restore \(fixture.path)",
        ] {
            #expect(advice.contains(words), "\(advice)")
        }
        #expect(advice.count <= 800)
        await fixture.broker.stop()
        let again = try await throwAwayBroker(
            folder: fixture.broker.folder, authenticator: fixture.broker.authenticator)
        let missing = try await fault { try await again.client().call(Keychain.List()) }
        #expect(missing.name == .damaged && missing.details.kind == Keychain.missing, "\(missing)")
        #expect(
            missing.details.advice?.hasPrefix("have root stop cofferd.socket and cofferd.service, restore ") == true,
            "\(missing)")
        await again.stop()
    }
}
