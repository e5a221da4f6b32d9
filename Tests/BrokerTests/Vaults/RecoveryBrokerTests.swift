import Broker
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import Recovery
import TestSupport
import Testing
import Vault

/// A recovery code takes a person every time, and is valid only once a part of it has come back.
@Suite struct RecoveryBrokerTests {
    private func prepared(
        options: Broker.Options = Broker.Options.patient
    ) async throws -> (broker: ThrowAwayBroker, client: WireClient) {
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "mail", account: "me", value: someValue, access: .presence))
        return (broker, client)
    }

    private func newCode(_ broker: ThrowAwayBroker, _ client: WireClient) async throws -> Keychain.NewRecoveryCode.Reply
    {
        try await broker.call(client, Keychain.NewRecoveryCode()) { Keychain.NewRecoveryCode(challenge: $0) }
    }

    private func part(_ code: Keychain.NewRecoveryCode.Reply) -> String {
        String(code.code.split(separator: "-")[Int(code.part) - 1])
    }

    private func wrongPart(_ code: Keychain.NewRecoveryCode.Reply) -> String {
        String(code.code.split(separator: "-").first { $0 != part(code) } ?? "")
    }

    private func recoverable(_ broker: ThrowAwayBroker, _ code: String) throws -> RecoverableVault {
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: broker.configuration.vaultDirectory).first {
                $0.hasSuffix(".vault")
            })
        return try RecoverableVault(
            copying: "\(broker.configuration.vaultDirectory)/\(name)", to: broker.folder.path,
            code: try RecoveryCode(reading: try SecretBytes(copying: Array(code.utf8))))
    }

    @Test("a confirmed code opens the file, and status says when it was made")
    func confirmed() async throws {
        let (broker, client) = try await prepared()
        #expect(try await client.call(Keychain.Status()).recovery == Keychain.RecoveryState(made: nil))
        let new = try await newCode(broker, client)
        #expect(try await client.call(Keychain.Status()).recovery == Keychain.RecoveryState(made: nil))
        let made = try await client.call(Keychain.ConfirmRecoveryCode(characters: part(new).lowercased())).made
        #expect(try await client.call(Keychain.Status()).recovery == Keychain.RecoveryState(made: made))
        let old = try recoverable(broker, new.code)
        #expect(old.items.map(\.summary.metadata.service) == ["mail"])
        #expect(try old.value(of: old.items[0]).base64Encoded() == someValue)
        await broker.stop()
    }

    @Test("an unconfirmed code never takes the place of the confirmed one")
    func unconfirmed() async throws {
        let (broker, client) = try await prepared()
        let first = try await newCode(broker, client)
        _ = try await client.call(Keychain.ConfirmRecoveryCode(characters: part(first)))
        let second = try await newCode(broker, client)
        #expect(throws: VaultError.self) { try recoverable(broker, second.code) }
        // After five wrong parts it is gone. Then not even the right one helps.
        for _ in 0..<5 {
            let refused = try await fault {
                try await client.call(Keychain.ConfirmRecoveryCode(characters: wrongPart(second)))
            }
            #expect(refused.name == .invalidArgument)
        }
        let late = try await fault { try await client.call(Keychain.ConfirmRecoveryCode(characters: part(second))) }
        #expect(late.name == .challengeRefused)
        #expect(throws: VaultError.self) { try recoverable(broker, second.code) }
        #expect(try recoverable(broker, first.code).items.count == 1)
        // A lock ends it too, and so does a later code.
        let third = try await newCode(broker, client)
        _ = try await client.call(Keychain.Lock())
        #expect(
            try await fault { try await client.call(Keychain.ConfirmRecoveryCode(characters: part(third))) }.name
                == .challengeRefused)
        #expect(try recoverable(broker, first.code).items.count == 1)
        await broker.stop()
    }

    @Test("a code waits for ten minutes")
    func late() async throws {
        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let (broker, client) = try await prepared(options: options)
        let new = try await newCode(broker, client)
        clock.advance(by: .seconds(601))
        #expect(
            try await fault { try await client.call(Keychain.ConfirmRecoveryCode(characters: part(new))) }.name
                == .challengeRefused)
        await broker.stop()
    }

    @Test("each code takes a person of its own, and what was granted for something else is not enough")
    func asked() async throws {
        let (broker, client) = try await prepared()
        let asked = try await fault { try await client.call(Keychain.NewRecoveryCode()) }
        #expect(asked.details.purposes == ["recovery"])
        // Not answered yet.
        let open = try #require(asked.details.challenge)
        #expect(
            try await fault { try await client.call(Keychain.NewRecoveryCode(challenge: open)) }.name
                == .challengeRefused)
        // Answered, but for a read.
        let read = try await challenge { try await client.call(Keychain.Get(service: "mail", account: "me")) }
        try await broker.authenticator.grant(read)
        #expect(
            try await fault { try await client.call(Keychain.NewRecoveryCode(challenge: read)) }.name
                == .challengeRefused)
        // Used already.
        let own = try await challenge { try await client.call(Keychain.NewRecoveryCode()) }
        try await broker.authenticator.grant(own)
        _ = try await client.call(Keychain.NewRecoveryCode(challenge: own))
        #expect(
            try await fault { try await client.call(Keychain.NewRecoveryCode(challenge: own)) }.name
                == .challengeRefused)
        // A grant for a code reads nothing.
        let recovery = try await challenge { try await client.call(Keychain.NewRecoveryCode()) }
        try await broker.authenticator.grant(recovery)
        let get = Keychain.Get(service: "mail", account: "me", challenge: recovery)
        #expect(try await fault { try await client.call(get) }.name == .challengeRefused)
        await broker.stop()
    }

    @Test("what waits for a process is not another's to confirm")
    func anotherProcess() async throws {
        let (broker, client) = try await prepared()
        let new = try await newCode(broker, client)
        let other = try await OtherProcess(socket: broker.configuration.socket, uid: OwnProcess.effectiveUser)
        let answer = try await other.say(
            #"{"method":"org.coffer.Keychain.ConfirmRecoveryCode","parameters":{"characters":"\#(part(new))"}}"#)
        #expect(answer.contains("ChallengeRefused"), "\(answer)")
        _ = try await client.call(Keychain.ConfirmRecoveryCode(characters: part(new)))
        await broker.stop()
    }

    @Test("the code is in no log and no file, and the access log says what was done")
    func quiet() async throws {
        let (broker, client) = try await prepared()
        let new = try await newCode(broker, client)
        _ = try await client.call(Keychain.ConfirmRecoveryCode(characters: part(new)))
        let records = try await client.call(Keychain.Log()).records.filter { $0.event == "recovery" }
        #expect(records.map(\.detail) == ["a code was given out", "the code is valid from now on"])
        await broker.stop()
        let groups = new.code.split(separator: "-").map(String.init)
        for group in groups { #expect(!broker.log.all.joined().contains(group)) }
        let files = try #require(FileManager.default.enumerator(atPath: broker.folder.path)).compactMap {
            $0 as? String
        }
        for name in files {
            guard let bytes = FileManager.default.contents(atPath: "\(broker.folder.path)/\(name)") else { continue }
            for group in groups { #expect(bytes.range(of: Data(group.utf8)) == nil, "\(name)") }
        }
    }
}
