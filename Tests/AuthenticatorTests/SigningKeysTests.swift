import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// A new signing key: what it is for, what the former one is still for, and when the former one goes.
@Suite(.timeLimit(.minutes(30)))
struct SigningKeysTests {
    private static func renew(_ fixture: Fixture) throws -> Result<
        BrokerProtocol.Authentication.RenewSigningKey.Reply, Fault
    > {
        var client = try fixture.client()
        return try client.call(BrokerProtocol.Authentication.RenewSigningKey())
    }

    private static func formerKeys(_ fixture: Fixture) throws -> [String] {
        try Folder.entries("\(fixture.registry.directory)/former-keys")
    }

    /// The key of the last signature that the broker got.
    private static func isSigned(_ fixture: Fixture, for record: RegistryRecord, _ kind: AuthorizationKind) throws
        -> Bool
    {
        let completion = try #require(fixture.broker.completions.last)
        let request = try #require(
            SigningRequest(
                nonce: [UInt8](repeating: 0x11, count: 32), parameterHash: [UInt8](repeating: 0x22, count: 32),
                reference: record.policyReference(for: kind)))
        return try P256.isValid(
            signature: [UInt8](try #require(Data(base64Encoded: completion.signature))), for: request.message(),
            publicKey: record.authenticatorKey)
    }

    @Test func theFormerKeyStaysForTheKeychainsThatWereMadeForIt() throws {
        let fixture = try Fixture()
        #expect(try fixture.registry.presentKey() == nil)
        #expect(try Self.renew(fixture).get().former == 1)
        let second = try #require(try fixture.registry.presentKey())
        #expect(second != fixture.record.authenticatorKey)
        #expect(try SigningKey(directory: fixture.registry.directory).publicKey == second)
        let names = try Self.formerKeys(fixture)
        let name = try #require(names.first)
        #expect(names.count == 1)
        let folder = "\(fixture.registry.directory)/former-keys"
        #expect(try FileStatus.of(folder)?.mode == 0o700)
        #expect(try FileStatus.of("\(folder)/\(name)")?.mode == 0o600)
        // Once more: the key in between was never used.
        #expect(try Self.renew(fixture).get().former == 1)
        #expect(try Self.formerKeys(fixture) == names)
        #expect(try fixture.registry.presentKey() != second)
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(try Self.isSigned(fixture, for: fixture.record, .presence))
    }

    @Test func aRenewedKeychainIsForThePresentKeyAndTheFormerIsGone() throws {
        let fixture = try Fixture()
        #expect(try Self.renew(fixture).get().former == 1)
        let present = try #require(try fixture.registry.presentKey())
        let fresh = fixture.record.objects.mapValues { $0.prefix(2) + $0.dropFirst(2).map { $0 ^ 0x80 } }
        let next = RegistryRecord(
            vault: try VaultID.random(), owner: fixture.record.owner, ownerName: fixture.record.ownerName,
            created: fixture.record.created, sealer: fixture.record.sealer, authenticatorKey: present, storageKey: nil,
            objects: fresh.mapValues(Array.init))
        fixture.broker.change { script in
            script.facts.purposes = [.rotate]
            script.facts.service = nil
            script.facts.account = nil
            script.facts.items = []
            script.facts.authorizations = [.init(kind: "unlock")]
            script.facts.alternatives = [[0]]
            script.adopted = []
            script.successor = next
        }
        var client = try fixture.client()
        let outcome = try client.authenticate(Fixture.password)
        #expect(outcome.isDone, "\(outcome)")
        #expect(try fixture.registry.record(for: next.owner) == next)
        #expect(try Self.isSigned(fixture, for: next, .unlock))
        #expect(try Self.formerKeys(fixture) == [])
    }

    @Test func whatWasMadeForAKeyThatIsGoneIsNotRegistered() throws {
        let fixture = try Fixture(.init(hasVault: false))
        let before = try SigningKeys(directory: fixture.registry.directory)
        try before.whileKept(before.present) { () throws(ConversationError) in }
        let keys = try SigningKeys(directory: fixture.registry.directory)
        try keys.renew()
        // It may still be needed until somebody has checked.
        try before.whileKept(before.present) { () throws(ConversationError) in }
        #expect(try keys.dropUnused(by: fixture.registry) == 0)
        #expect(throws: ConversationError.self) {
            try before.whileKept(before.present) { () throws(ConversationError) in
                Issue.record("registered all the same")
            }
        }
    }

    @Test func aRenewalThatWasStoppedIsMadeKnownAfterwards() throws {
        let fixture = try Fixture(.init(hasVault: false))
        let path = Registry.presentKeyPath(in: fixture.registry.directory)
        let keys = try SigningKeys(directory: fixture.registry.directory)
        #expect(try fixture.registry.presentKey() == keys.present.publicKey)
        #expect(try keys.dropUnused(by: fixture.registry) == 0)
        try keys.renew()
        let before = try DurableFile.read(path, limit: 1024)
        try keys.renew()
        let present = try fixture.registry.presentKey()
        // As a stop between the two files leaves it.
        try DurableFile.write(before, to: path, mode: 0o644)
        #expect(try fixture.registry.presentKey() != present)
        #expect(try keys.dropUnused(by: fixture.registry) == 0)
        #expect(try fixture.registry.presentKey() == present)
    }

    @Test func aKeyThatVaultsNeedIsNotMadeAnewAndTheFileIsNamed() throws {
        let fixture = try Fixture()
        let file = "\(fixture.registry.directory)/signing-key.pem"
        try FileManager.default.moveItem(atPath: file, toPath: "\(fixture.path)/backup.pem")
        var client = try fixture.client()
        let fault = try client.begin().fault
        #expect(
            fault?.name == .notCompleted && fault?.details.advice?.contains("restore \(file) from a backup") == true)
        // Root's renewal would make another, too.
        #expect(try Self.renew(fixture).name == .notCompleted)
        #expect(try FileStatus.of(file) == nil)
        #expect(throws: ConversationError.self) { try SigningKey(directory: fixture.registry.directory) }
        try FileManager.default.moveItem(atPath: "\(fixture.path)/backup.pem", toPath: file)
        var again = try fixture.client()
        #expect(try again.authenticate(Fixture.password).isDone)
        // Which key it is, is known from then on.
        #expect(try fixture.registry.presentKey() == fixture.record.authenticatorKey)
        try DurableFile.write(
            Array("nonsense".utf8), to: Registry.presentKeyPath(in: fixture.registry.directory), mode: 0o644)
        _ = try SigningKeys(directory: fixture.registry.directory)
        #expect(try fixture.registry.presentKey() == fixture.record.authenticatorKey)
    }

    @Test func aRenewalDoesNotDropAMissingKeyThatVaultsNeed() throws {
        let fixture = try Fixture()
        let keys = try SigningKeys(directory: fixture.registry.directory)
        try FileManager.default.removeItem(atPath: "\(fixture.registry.directory)/signing-key.pem")
        #expect(throws: ConversationError.self) { try keys.renew() }
        #expect(try FileStatus.of("\(fixture.registry.directory)/signing-key.pem") == nil)
    }

    @Test func aKeyThatNoVaultNeedsIsMadeAnew() throws {
        let fixture = try Fixture()
        // The record names the former key, and nothing was made for the present one.
        #expect(try Self.renew(fixture).get().former == 1)
        try FileManager.default.removeItem(atPath: "\(fixture.registry.directory)/signing-key.pem")
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(try SigningKey(directory: fixture.registry.directory).publicKey == fixture.registry.presentKey())
        // A record that cannot be read may name it.
        try FileManager.default.removeItem(atPath: "\(fixture.registry.directory)/signing-key.pem")
        try DurableFile.write(Array("damaged".utf8), to: fixture.registry.path(of: fixture.record.owner), mode: 0o644)
        #expect(throws: ConversationError.self) { try SigningKey(directory: fixture.registry.directory) }
    }

    @Test func aRecordThatCannotBeReadKeepsAllKeys() throws {
        let fixture = try Fixture()
        #expect(try Self.renew(fixture).get().former == 1)
        try DurableFile.write(
            Array("damaged".utf8), to: fixture.registry.path(of: fixture.record.owner), mode: 0o644)
        #expect(try Self.renew(fixture).name == .notCompleted)
        #expect(try Self.formerKeys(fixture).count == 2)
    }

    /// The first half of the digest of its point names a former key. It is written before the present one is replaced.
    @Test(arguments: ["former", "signing-key.pem", "signing-key.pub"])
    func aRenewalThatCannotBeWrittenIsSaid(step: String) throws {
        let folder = try TemporaryFolder()
        let keys = try SigningKeys(directory: folder.path)
        let former = try SigningKey.formerPath(of: keys.present.publicKey, in: folder.path)
        let name = Hex.encode(Array(try SHA256.digest(keys.present.publicKey).prefix(16)))
        #expect(former == "\(folder.path)/former-keys/\(name).pem")
        try Folder.make("\(folder.path)/former-keys", mode: 0o700)
        try Folder.make((step == "former" ? former : "\(folder.path)/\(step)") + ".writing", mode: 0o700)
        #expect(throws: ConversationError.self) { try keys.renew() }
        // Only the last step is after the change.
        let present = try #require(try SigningKey(file: SigningKey.path(in: folder.path)))
        #expect((present.publicKey == keys.present.publicKey) == (step != "signing-key.pub"))
        #expect(try (SigningKey(file: former) != nil) == (step != "former"))
    }

    @Test func aKeyThatCannotBeWrittenIsSaid() throws {
        let folder = try TemporaryFolder()
        let key = try SigningKey.generate()
        #expect(throws: ConversationError.self) { try key.write(to: "\(folder.path)/missing/key.pem") }
        #expect(throws: ConversationError.self) { try SigningKeys(directory: "\(folder.path)/missing") }
        try Folder.make("\(folder.path)/signing-key.pem.writing", mode: 0o700)
        #expect(throws: ConversationError.self) { try SigningKeys(directory: folder.path) }
        try FileManager.default.removeItem(atPath: "\(folder.path)/signing-key.pem.writing")
        try Folder.make("\(folder.path)/challenge-key.writing", mode: 0o700)
        #expect(throws: ConversationError.self) { try ChallengeKey(directory: folder.path) }
        #expect(try FileStatus.of("\(folder.path)/challenge-key") == nil)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func onlyRootRenews() throws {
        let fixture = try Fixture()
        let call = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX); s.settimeout(600); s.connect(sys.argv[1])
            s.send(b'{"method":"org.coffer.Authentication.RenewSigningKey"}\\0'); print(s.recv(4096).decode())
            """
        let answer = try Command(
            [
                "/usr/bin/setpriv", "--reuid=1", "--regid=1", "--clear-groups", "/usr/bin/python3", "-c", call,
                "\(fixture.path)/auth.sock",
            ], input: "")
        #expect(answer.output.contains("Failed") && answer.output.contains("denied"), "\(answer.output)")
        #expect(try fixture.registry.presentKey() == nil)
        #expect(try SigningKey(directory: fixture.registry.directory).publicKey == fixture.record.authenticatorKey)
    }
}
