import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import TPM
import TestSupport
import Testing

@testable import Broker
@testable import Vault

/// Anybody who can write the folder can write the note beside a vault that is being renewed (attacker 5). Only a note
/// that the vault itself vouched for counts, and even that ends nobody else's keys.
@Suite(.timeLimit(.minutes(30)))
struct SuccessionNoteTests {
    private static let owner = Owner.user(OwnProcess.effectiveUser)

    /// A vault under a TPM without a broker's process, and other owners' keys beside it.
    private struct Fixture {
        let tpm: SWTPM
        let folder: TemporaryFolder
        let registry: Registry
        let sealer: TPMSealer
        let keys: NewVaultKeys
        let record: RegistryRecord

        init() throws {
            tpm = try SWTPM()
            folder = try TemporaryFolder()
            try Folder.make(folder.path + "/vaults", mode: 0o700)
            registry = Registry(
                directory: folder.path + "/registry", authenticatorUID: OwnProcess.effectiveUser)
            try Folder.make(registry.directory, mode: 0o755)
            sealer = TPMSealer(TPMAccess.patient(tpm.configuration))
            (record, keys) = try Self.make(SuccessionNoteTests.owner, sealer)
            try VaultFile.create(directory: folder.path + "/vaults", keys: keys, record: record)
            try registry.write(record)
        }

        static func make(_ owner: Owner, _ sealer: TPMSealer) throws -> (RegistryRecord, NewVaultKeys) {
            let id = try VaultID.random()
            let authenticator = try P256.PrivateKey.generate()
            let keys = try sealer.makeKeys(vault: id, owner: owner, authenticatorKey: authenticator.publicKey)
            let name = try Account.withUID(OwnProcess.effectiveUser)?.name ?? "root"
            let record = RegistryRecord(
                vault: id, owner: owner, ownerName: name, created: 1_800_000_000_000, sealer: .tpm,
                authenticatorKey: authenticator.publicKey, storageKey: keys.storageKey, counter: keys.counter,
                objects: keys.names, generation: keys.generation)
            return (record, keys)
        }

        var notePath: String { VaultFile.successionPath(of: record.owner, in: folder.path + "/vaults") }

        /// The vault's key for its notes.
        func integrity() throws -> SecretBytes {
            try VaultKeys(deviceRoot: keys.deviceRoot, vault: record.vault).integrity
        }

        /// What a broker does about the note when it starts, to the end.
        func open() async throws -> Bool {
            let dependencies = VaultDependencies(
                directory: folder.path + "/vaults", registry: registry, sealer: SealerService(sealer),
                challenges: ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: .system))
            let vaultActor = VaultActor(owner: record.owner, dependencies: dependencies)
            _ = try await vaultActor.opened()
            let isDone = await vaultActor.renewal.endFormer(in: vaultActor)
            await vaultActor.close()
            return isDone
        }

        func handles() throws -> Set<UInt32> {
            let text = try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"])
            return Set(
                text.split(separator: "\n").compactMap { UInt32($0.suffix(8).drop { !$0.isHexDigit }, radix: 16) })
        }
    }

    /// Another record of the same owner that names another's indexes.
    private func former(_ record: RegistryRecord, with indexes: RegistryRecord) throws -> RegistryRecord {
        try other(record, of: record.owner, indexes.counter, indexes.generation)
    }

    /// Another vault's record.
    private func other(
        _ record: RegistryRecord, of owner: Owner, _ counter: CounterPin?, _ generation: GenerationPin?
    ) throws -> RegistryRecord {
        RegistryRecord(
            vault: try VaultID.random(), owner: owner, ownerName: record.ownerName, created: record.created,
            sealer: .tpm, authenticatorKey: record.authenticatorKey, storageKey: record.storageKey,
            counter: counter, objects: record.objects, generation: generation)
    }

    @Test func aNoteThatSomebodyElseWroteEndsNobodysKeys() async throws {
        let fixture = try Fixture()
        // Not registered yet. Only the note's MAC protects these.
        let (other, _) = try Fixture.make(.user(4321), fixture.sealer)
        let before = try fixture.handles()
        #expect(before.isSuperset(of: other.indexHandles) && before.isSuperset(of: fixture.record.indexHandles))
        for former in [other, try former(fixture.record, with: other)] {
            let note = Succession(record: fixture.record, former: former)
            let strangers = try SecretBytes.random(count: 32)
            try note.write(fixture.notePath, former: strangers, successor: strangers)
            #expect(try await fixture.open())
            #expect(try fixture.handles() == before)
            // The former vault's MAC does not count as the successor's.
            try note.write(fixture.notePath, former: fixture.integrity(), successor: strangers)
            #expect(try await fixture.open())
            #expect(try fixture.handles() == before)
        }
    }

    @Test func anOldNoteOfTheVaultsOwnSparesWhatARecordNames() async throws {
        let fixture = try Fixture()
        let (other, _) = try Fixture.make(.user(4321), fixture.sealer)
        let (gone, _) = try Fixture.make(fixture.record.owner, fixture.sealer)
        try fixture.registry.write(other)
        let key = try fixture.integrity()
        // Handles that were free again now belong to another vault, or to this one.
        for (indexes, isDone) in [(other, false), (fixture.record, true)] {
            try Succession(record: fixture.record, former: former(fixture.record, with: indexes))
                .write(fixture.notePath, former: key, successor: key)
            #expect(try await fixture.open() == isDone)
            #expect(try fixture.handles().isSuperset(of: other.indexHandles + fixture.record.indexHandles))
        }
        // A record that cannot be read may name any index.
        let path = fixture.registry.path(of: .user(99))
        try DurableFile.write(Array("{".utf8), to: path, mode: 0o644)
        let note = Succession(record: fixture.record, former: try former(fixture.record, with: gone))
        try note.write(fixture.notePath, former: key, successor: key)
        #expect(try await !fixture.open())
        #expect(try fixture.handles().isSuperset(of: gone.indexHandles))
        // What only this vault's note names is removed, and the note with it.
        try FileRemoval.remove(path)
        #expect(try await fixture.open())
        let left = try fixture.handles()
        #expect(left.isDisjoint(with: gone.indexHandles))
        #expect(left == Set(other.indexHandles + fixture.record.indexHandles))
        #expect(try FileStatus.of(fixture.notePath) == nil)
    }

    @Test func aRecordFromABackupKeepsNoFormerKeys() async throws {
        let fixture = try Fixture()
        let (gone, _) = try Fixture.make(fixture.record.owner, fixture.sealer)
        let (counter, generation) = (try #require(gone.counter), try #require(gone.generation))
        // Its handles were free again, so that it names the same ones with other policies.
        let stale = try other(
            fixture.record, of: .user(4321), CounterPin(handle: generation.handle, base: 1, context: [1]),
            IndexPin(handle: counter.handle, policy: [UInt8](repeating: 7, count: 32)))
        try fixture.registry.write(stale)
        let key = try fixture.integrity()
        try Succession(record: fixture.record, former: former(fixture.record, with: gone))
            .write(fixture.notePath, former: key, successor: key)
        #expect(try await fixture.open())
        let left = try fixture.handles()
        // Counters look alike, so this one may be what that record names.
        #expect(!left.contains(generation.handle) && left.contains(counter.handle))
        #expect(try FileStatus.of(fixture.notePath) == nil)
    }

    @Test func anIndexThatARecordNamesWhichWasSetAsideStays() async throws {
        let fixture = try Fixture()
        let (aside, _) = try Fixture.make(.user(4321), fixture.sealer)
        try fixture.registry.write(aside)
        _ = try fixture.registry.setAside(aside.owner, stamp: "1")
        let key = try fixture.integrity()
        try Succession(record: fixture.record, former: former(fixture.record, with: aside))
            .write(fixture.notePath, former: key, successor: key)
        // The former keys can still be opened, and are said to.
        #expect(try await !fixture.open())
        #expect(try fixture.handles().isSuperset(of: aside.indexHandles))
        #expect(try FileStatus.of(fixture.notePath) != nil)
    }

    @Test func aCounterWhoseGenerationHasGoneIsAnothers() async throws {
        let fixture = try Fixture()
        // Not registered yet, at a handle that was free again.
        let (new, _) = try Fixture.make(.user(4321), fixture.sealer)
        let ended = GenerationPin(handle: 0x01B0_CFFF, policy: [UInt8](repeating: 7, count: 32))
        let key = try fixture.integrity()
        let former = try other(fixture.record, of: fixture.record.owner, new.counter, ended)
        try Succession(record: fixture.record, former: former)
            .write(fixture.notePath, former: key, successor: key)
        #expect(try await fixture.open())
        #expect(try fixture.handles().isSuperset(of: new.indexHandles))
    }

    /// A vault of a broker's process that has ended, under software.
    private struct Ended {
        let cofferd: Cofferd
        let record: RegistryRecord
        /// The vault's key for its notes.
        let integrity: SecretBytes

        init() async throws {
            cofferd = try Cofferd()
            let folder = cofferd.folder.path
            let authenticator = try TestAuthenticator(
                socket: folder + "/private.sock",
                registry: Registry(
                    directory: folder + "/registry", authenticatorUID: OwnProcess.effectiveUser))
            let client = try WireClient(cofferd.socket)
            let id = try await challenge { try await client.call(Keychain.Unlock()) }
            try await authenticator.grant(id)
            _ = try await client.call(Keychain.Unlock(challenge: id))
            try cofferd.end()
            record = try #require(try authenticator.registry.record(for: SuccessionNoteTests.owner))
            let vault = try OpenVault(
                directory: folder + "/vaults", record: record, sealer: SoftwareSealer(directory: folder + "/vaults"))
            integrity = vault.keys.integrity
            try vault.close()
        }

        func note(_ offer: Succession.Offer, key: SecretBytes? = nil) throws {
            var note = Succession(record: record, former: record)
            note.offer = offer
            let key = key ?? integrity
            let path = VaultFile.successionPath(of: record.owner, in: cofferd.folder.path + "/vaults")
            try note.write(path, former: key, successor: key)
        }
    }

    @Test func noTimeInANoteEndsTheBroker() async throws {
        let ended = try await Ended()
        let boot = try BootTime.bootID()
        for time in [Int64.min, .min + 1, -1, 0, .max] {
            try ended.note(.init(boot: boot, time: time))
            let cofferd = try Cofferd(folder: ended.cofferd.folder)
            // A broker that has died answers nothing.
            #expect(try await WireClient(cofferd.socket).call(Keychain.List()).items.isEmpty, "\(time)")
            #expect(try cofferd.end() == 0)
        }
    }

    @Test func onlyTheVaultsOwnWordHasTheBrokerWait() async throws {
        let ended = try await Ended()
        let offer = Succession.Offer(boot: try BootTime.bootID(), time: .max / 2)
        #expect(!offer.isOpen(at: BootTime.milliseconds) && offer.isOpen(at: .max / 2 + 1))
        #expect(!offer.isOpen(at: .max / 2 + VaultLimits.decisionTime))
        try ended.note(.init(boot: BootTime.bootID(), time: BootTime.milliseconds), key: .random(count: 32))
        let cofferd = try Cofferd(folder: ended.cofferd.folder)
        #expect(try await WireClient(cofferd.socket).call(Keychain.List()).items.isEmpty)
        try cofferd.end()
    }
}
