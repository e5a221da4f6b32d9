import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Glibc
import Platform
import TPM
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// The disk has no room for a renewed vault. That must not take the room, or anything else, from the vault in use.
@Suite(.timeLimit(.minutes(10)))
struct RenewalRoomTests {
    private static let uid = OwnProcess.effectiveUser

    /// From now on, what this process has open under a path is on a disk without room.
    private func fillDisk(of path: String) throws {
        let folder = "/proc/self/fd"
        let numbers = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            // `try?`: one of them is gone again, the folder's own.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == path
        }.compactMap { Int32($0) }
        try #require(!numbers.isEmpty)
        let full = try Descriptor.open("/dev/full", O_RDWR)
        for number in numbers { try #require(dup2(full.number, number) == number) }
    }

    /// What a successor has left beside a vault.
    private func remains(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.contains(".next") }
    }

    private func asked(about vault: VaultID, _ vaults: VaultFixture) throws -> Challenge {
        let request = Challenge.Request.rotate(Challenge.Rotation(items: [], authorizations: [], passwords: [:]))
        let id = try vaults.ask(1, request, vault: vault)
        return Challenge(
            id: id, uid: 1, owner: .user(1), process: vaults.caller(1).process, vault: vault, reason: nil,
            enrolled: [], life: ChallengeLife(request), expires: .now + .seconds(600))
    }

    @Test("a successor that cannot be written goes, with all of its files, and the next renewal begins anew")
    func files() async throws {
        let vaults = try VaultFixture()
        let vaultActor = try await vaults.make(1)
        let state = try #require(await vaultActor.open)
        let renewal = vaultActor.renewal
        let directory = vaults.folder.path
        let next = VaultFile.successorPath(of: .user(1), in: directory)
        _ = try vaults.read("a", state)
        func begin() async throws -> Challenge {
            let challenge = try asked(about: state.record.vault, vaults)
            try await renewal.begin(
                in: vaultActor, for: challenge, authenticatorKey: vaults.key.publicKey, binding: nil)
            return challenge
        }
        let first = try await begin()
        try fillDisk(of: next + "-wal")
        let full = try await fault { try await renewal.succeed(in: vaultActor, for: first, over: 5).record }
        #expect(full.name == .failed && full.details.message?.contains("the disk is full") == true, "\(full)")
        #expect(renewal.renewal == nil)
        #expect(try remains(in: directory) == [])
        // The vault in use goes on.
        _ = try vaults.read("b", state)
        vaults.challenges.drop(first.id)
        // Somebody removes the file by hand.
        let second = try await begin()
        try FileManager.default.removeItem(atPath: next)
        let gone = try await fault { try await renewal.succeed(in: vaultActor, for: second, over: 5).record }
        #expect(gone.name == .failed && gone.details.message?.contains(next) == true, "\(gone)")
        #expect(renewal.renewal == nil)
        #expect(try remains(in: directory) == [])
        vaults.challenges.drop(second.id)
        // With room, it comes to its end.
        let third = try await begin()
        let record = try #require(try await renewal.succeed(in: vaultActor, for: third, over: 5).record)
        #expect(renewal.isOffered && record.vault != state.record.vault)
        await vaultActor.close()
    }

    @Test("an error that is no file's leaves the successor for the next renewal")
    func others() async throws {
        let vaults = try VaultFixture()
        let vaultActor = try await vaults.make(1)
        let state = try #require(await vaultActor.open)
        let renewal = vaultActor.renewal
        let mine = try asked(about: state.record.vault, vaults)
        try await renewal.begin(in: vaultActor, for: mine, authenticatorKey: vaults.key.publicKey, binding: nil)
        let made = try #require(renewal.renewal).succession.record
        let theirs = try asked(about: state.record.vault, vaults)
        let busy = try await fault {
            try await renewal.begin(in: vaultActor, for: theirs, authenticatorKey: vaults.key.publicKey, binding: nil)
        }
        #expect(busy.name == .failed && renewal.renewal?.succession.record == made)
        vaults.challenges.drop(mine.id)
        _ = try await fault { try await renewal.succeed(in: vaultActor, for: mine, over: 5).record }
        #expect(renewal.renewal?.succession.record == made)
        await vaultActor.close()
    }

    @Test("the TPM has nothing of a successor that was given up, and the vault is renewed once there is room")
    func indexes() async throws {
        let tpm = try SWTPM()
        let broker = try await ThrowAwayBroker(configure: { $0.sealer = .tpm }) { _ in
            TPMSealer(TPMAccess.patient(tpm.configuration))
        }
        func count() throws -> Int {
            try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"]).split(separator: "\n").count
        }
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        let directory = broker.configuration.vaultDirectory
        // Not even the note that would tell of its indexes can be written.
        let note = VaultFile.successionPath(of: .user(Self.uid), in: directory)
        try FileManager.default.createDirectory(atPath: note, withIntermediateDirectories: false)
        let unnoted = try await challenge { try await client.call(Keychain.RotateAll()) }
        let (begun, _) = try await broker.authenticator.rotate(unnoted, stop: .unlock)
        let shut = try await fault {
            try await begun.call(
                BrokerInterface.Renew(
                    challenge: unnoted,
                    authenticatorKey: Data(broker.authenticator.key.publicKey).base64EncodedString()))
        }
        #expect(shut.details.message?.contains(note) == true, "\(shut)")
        await begun.close()
        #expect(try count() == 2)
        try FileManager.default.removeItem(atPath: note)
        #expect(try remains(in: directory) == [])
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        let (line, _) = try await broker.authenticator.rotate(id, stop: .items)
        // Generation and counter of both.
        #expect(try count() == 4)
        try fillDisk(of: VaultFile.successorPath(of: .user(Self.uid), in: directory) + "-wal")
        let full = try await fault { try await line.call(BrokerInterface.Succeed<RegistryRecord>(challenge: id)) }
        #expect(full.details.message?.contains("the disk is full") == true, "\(full)")
        await line.close()
        #expect(try count() == 2)
        #expect(try remains(in: directory) == [])
        let again = try await challenge { try await client.call(Keychain.RotateAll()) }
        let (other, isDone) = try await broker.authenticator.rotate(again)
        await other.close()
        #expect(isDone)
        #expect(try await client.call(Keychain.RotateAll(challenge: again)).items == 1)
        #expect(try count() == 2)
        #expect(try tpm.leftovers() == [])
        await broker.stop()
    }
}
