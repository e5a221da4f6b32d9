import Authorization
import Broker
import BrokerProtocol
import Foundation
import Logging
import Platform
import RootConfiguration
import TestSupport
import Testing
import Varlink
import Vault

/// Vault file and registry must agree. A difference is damage, never a fresh start (attacker 5).
@Suite(.timeLimit(.minutes(30)))
struct StateTests {
    private let owner = Owner.user(OwnProcess.effectiveUser)

    /// A stopped broker with one item in its vault.
    private func stopped() async throws -> ThrowAwayBroker {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(
            Keychain.Set(service: "s", account: "a", value: someValue, access: .init(accessibility: .always)))
        await broker.stop()
        return broker
    }

    private func restarted(_ broker: ThrowAwayBroker) async throws -> ThrowAwayBroker {
        try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
    }

    private func file(_ broker: ThrowAwayBroker, _ suffix: String) -> String {
        "\(broker.configuration.vaultDirectory)/\(owner.fileStem).\(suffix)"
    }

    @Test("after a stop the vault is one file, with nothing but its log beside it")
    func closed() async throws {
        let broker = try await stopped()
        let names = try FileManager.default.contentsOfDirectory(atPath: broker.configuration.vaultDirectory)
        #expect(names.sorted() == ["software-sealer.key", "\(owner.fileStem).vault", "\(owner.fileStem).log"].sorted())
    }

    @Test("a record whose file is gone is damage, and stays so")
    func missingFile() async throws {
        let broker = try await stopped()
        try FileManager.default.removeItem(atPath: file(broker, "vault"))
        let again = try await restarted(broker)
        let client = try again.client()
        for _ in 0..<2 {
            #expect(
                try await fault { try await client.call(Keychain.Get(service: "s", account: "a")) }.name == .damaged)
            #expect(
                try await fault { try await client.call(Keychain.Set(service: "s", account: "a", value: someValue)) }
                    .name == .damaged)
            #expect(try await fault { try await client.call(Keychain.Status()) }.name == .damaged)
        }
        await again.stop()
    }

    @Test("a file whose record is gone is damage")
    func missingRecord() async throws {
        let broker = try await stopped()
        try FileManager.default.removeItem(atPath: broker.authenticator.registry.path(of: owner))
        let again = try await restarted(broker)
        let client = try again.client()
        #expect(try await fault { try await client.call(Keychain.List()) }.name == .damaged)
        #expect(
            try await fault { try await client.call(Keychain.Set(service: "s", account: "a", value: someValue)) }.name
                == .damaged)
        await again.stop()
    }

    @Test("a vault that was registered but not yet named is taken up")
    func unnamed() async throws {
        let broker = try await stopped()
        try FileManager.default.moveItem(atPath: file(broker, "vault"), toPath: file(broker, "vault.new"))
        let again = try await restarted(broker)
        #expect(try await again.client().call(Keychain.Get(service: "s", account: "a")).value == someValue)
        await again.stop()
    }

    @Test("a new file that was never registered is no vault")
    func unregistered() async throws {
        let broker = try await stopped()
        try FileManager.default.moveItem(atPath: file(broker, "vault"), toPath: file(broker, "vault.new"))
        try FileManager.default.removeItem(atPath: broker.authenticator.registry.path(of: owner))
        let again = try await restarted(broker)
        let client = try again.client()
        #expect(try await client.call(Keychain.Status()).vault.state == .none)
        try await again.makeVault(client)
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        await again.stop()
    }

    @Test("another's record, or one for an account of another name, opens nothing")
    func otherName() async throws {
        let broker = try await stopped()
        let path = broker.authenticator.registry.path(of: owner)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let name = try #require(try Account.withUID(OwnProcess.effectiveUser)?.name)
        try text.replacingOccurrences(of: "\"ownerName\" : \"\(name)\"", with: "\"ownerName\" : \"someoneelse\"")
            .write(toFile: path, atomically: false, encoding: .utf8)
        let again = try await restarted(broker)
        #expect(
            try await fault { try await again.client().call(Keychain.Get(service: "s", account: "a")) }.name
                == .notPermitted)
        await again.stop()
    }

    @Test("two processes that make a vault at once make one")
    func twoCreations() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        let first = try await challenge { try await client.call(Keychain.Unlock()) }
        let other = try await OtherProcess(socket: broker.configuration.socket)
        let answer = try await other.say(#"{"method":"org.coffer.Keychain.Unlock","parameters":{}}"#)
        let second = try #require(try Varlink.decode(Fault.self, from: Array(answer.utf8)).details.challenge)
        let uid = OwnProcess.effectiveUser
        let (one, two) = (try broker.authenticator.connect(), try broker.authenticator.connect())
        _ = try await one.call(TestAuthenticator.describe(first, uid: uid, TestAuthenticator.thisProcess()))
        _ = try await two.call(TestAuthenticator.describe(second, uid: uid, other.identity))
        let record = try await broker.authenticator.provision(first, one)
        #expect(try await fault { try await broker.authenticator.provision(second, two) }.name == .brokerFailed)
        // Not registered, so there is nothing to adopt.
        #expect(
            try await fault { try await two.call(BrokerInterface.AdoptVault(challenge: second)) }.name
                == .brokerChallengeRefused)
        try broker.authenticator.registry.write(record)
        let authorizations = try await one.call(BrokerInterface.AdoptVault(challenge: first)).authorizations
        #expect(authorizations.map(\.kind) == ["unlock"])
        try await broker.authenticator.sign(first, 0, authorizations[0], owner: owner, one)
        #expect(try await client.call(Keychain.Unlock(challenge: first)).vault.state == .unlocked)
        await broker.stop()
    }

    @Test("no name, value, attribute or challenge is in any line of the log")
    func quietLog() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let value = Data("CANARY-value".utf8).base64EncodedString()
        _ = try await client.call(
            Keychain.Set(
                service: "CANARY-service", account: "CANARY-account", value: value, access: .presence,
                label: "CANARY-label",
                comment: "CANARY-comment", attributes: ["CANARY-key": "CANARY-attribute"]))
        let get = Keychain.Get(service: "CANARY-service", account: "CANARY-account", reason: "CANARY-reason")
        let id = try await challenge { try await client.call(get) }
        try await broker.authenticator.grant(id)
        _ = try await client.call(Keychain.Get(service: "CANARY-service", account: "CANARY-account", challenge: id))
        // They fail. The question is what the log says about it.
        _ = try? await client.call(Keychain.Show(service: "CANARY-missing", account: "x"))
        _ = try? await client.call(Keychain.Get(service: "CANARY-service", challenge: "CANARY-guess"))
        try await client.send(Array(#"{"method":"org.coffer.CANARY.Method"}"#.utf8) + [0])
        _ = try await client.message()
        try await client.send(Array("CANARY nonsense".utf8) + [0])
        _ = try await client.message()
        await broker.stop()
        let lines = broker.log.all
        #expect(lines.contains { $0.contains("org.coffer.Keychain.Set") && $0.contains("pid=") && $0.contains("uid=") })
        for secret in ["CANARY", value, id] { #expect(!lines.contains { $0.contains(secret) }) }
    }
}
