import Authorization
import Cryptography
import Testing

@testable import Vault

/// A counter that does not come to stand where it should: somebody else counts at the same moment, or it is too far
/// behind.
struct MiscountTests {
    /// Seals by software, and has a counter that somebody else has moved.
    private struct Miscounter: Sealer, EpochCounting {
        let sealer: SoftwareSealer
        /// The counter's value as it is read.
        let reached: UInt64
        /// Where the counter stands when it is to count; nil: it cannot, and answers what was read.
        var stands: UInt64?

        var kind: SealerKind { sealer.kind }
        var binding: (any PasswordBinding)? { nil }
        var counting: (any EpochCounting)? { self }
        var bootTie: (any BootTie)? { nil }
        var indexes: (any IndexRemoval)? { nil }
        var attesting: (any KeyAttesting)? { nil }
        var inspection: (any SealerInspection)? { nil }

        func name(of object: SealedObject) throws(SealerError) -> [UInt8] { try sealer.name(of: object) }

        func publicPoint(
            of role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord
        ) throws(SealerError) -> [UInt8] { try sealer.publicPoint(of: role, objects, record: record) }

        func makeKeys(vault: VaultID, owner: Owner, authenticatorKey: [UInt8]) throws(SealerError) -> NewVaultKeys {
            try sealer.makeKeys(vault: vault, owner: owner, authenticatorKey: authenticatorKey)
        }

        func openDeviceRoot(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> SecretBytes {
            try sealer.openDeviceRoot(objects, record: record)
        }

        func begin(
            _ use: SignedUse, _ objects: SealedObjects, record: RegistryRecord
        ) throws(SealerError) -> any PendingUse { try sealer.begin(use, objects, record: record) }

        func makeSetKey(
            _ setDigest: [UInt8], record: RegistryRecord
        ) throws(SealerError) -> (SealedObject, name: [UInt8]) { try sealer.makeSetKey(setDigest, record: record) }

        func makeSigningKeys(
            streamPassword: SecretBytes, membershipPassword: SecretBytes, record: RegistryRecord
        ) throws(SealerError) -> SigningKeyPair {
            try sealer.makeSigningKeys(
                streamPassword: streamPassword, membershipPassword: membershipPassword, record: record)
        }

        func sign(
            _ digest: [UInt8], with key: SealedObject, point: [UInt8], password: SecretBytes, record: RegistryRecord
        ) throws(SealerError) -> [UInt8] {
            try sealer.sign(digest, with: key, point: point, password: password, record: record)
        }

        func describe() throws(SealerError) -> SealerDescription { try sealer.describe() }

        func openCounted(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> CountedRoot {
            CountedRoot(deviceRoot: try sealer.openDeviceRoot(objects, record: record), epoch: reached)
        }

        func count(
            to epoch: UInt64, most: UInt64, password: SecretBytes, record: RegistryRecord
        ) throws(SealerError) -> UInt64 {
            guard let stands, stands < epoch, epoch - stands <= most else { return self.stands ?? reached }
            return epoch
        }

        func remakeCounter(password: SecretBytes, record: RegistryRecord) throws(SealerError) -> UInt64 { reached }
    }

    private let fixture: VaultFixture
    private let keys: VaultKeys

    init() throws {
        fixture = try VaultFixture()
        keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
    }

    private func header(_ epoch: UInt64) -> Header {
        var header = Header(record: fixture.record, keybagDigest: [], objectsDigest: [])
        header.epoch = epoch
        return header
    }

    private func counter(reaching epoch: UInt64) -> Miscounter { Miscounter(sealer: fixture.sealer, reached: epoch) }

    /// The file is one step ahead as it is opened, and the counter goes further than this step.
    @Test func aFileThatIsAheadNeedsItsOwnStep() throws {
        func reconciled(_ reached: UInt64) throws -> EpochCount? {
            try OpenVault.reconcile(
                header(7), counted: 6, keys: keys, record: fixture.record, sealer: counter(reaching: reached))
        }
        #expect(try reconciled(7)?.counted == 7)
        for reached in [6, 8] as [UInt64] {
            #expect(vaultError { _ = try reconciled(reached) } == .rollback)
        }
    }

    /// Root accepts a file whose epoch the counter must get past.
    @Test func anAcceptedFileNeedsAllItsSteps() throws {
        func behind(_ epoch: UInt64, counted: UInt64?, reaching reached: UInt64) -> Result<UInt64, SealerError> {
            Result { () throws(SealerError) in
                try OpenVault.leaveBehind(
                    header(epoch), counted: counted, keys: keys, record: fixture.record,
                    sealer: counter(reaching: reached))
            }
        }
        func code(_ result: Result<UInt64, SealerError>) -> SealerError.Code? {
            if case .failure(let error) = result { error.code } else { nil }
        }
        #expect(try behind(7, counted: 3, reaching: 9).get() == 9)
        #expect(try behind(3, counted: 7, reaching: 9).get() == 9)
        #expect(code(behind(7, counted: 3, reaching: 8)) == .other)
        // No counter goes so far.
        #expect(try behind(.max - 2, counted: 3, reaching: .max).get() == .max)
        #expect(code(behind(.max - 1, counted: 3, reaching: 0)) == .damaged)
    }

    /// The TPM is put back between the reading and the counting. More than the step of the file is never taken.
    @Test func anOpeningCountsOneStep() throws {
        func reconciled(_ stands: UInt64) throws -> EpochCount? {
            try OpenVault.reconcile(
                header(7), counted: 6, keys: keys, record: fixture.record,
                sealer: Miscounter(sealer: fixture.sealer, reached: 6, stands: stands))
        }
        #expect(try reconciled(6)?.counted == 7)
        #expect(vaultError { _ = try reconciled(5) } == .rollback)
    }

    /// The vault's record, as if it had a counter.
    private func countedRecord() throws -> RegistryRecord {
        let pin = try #require(CounterPin(handle: 0x01B0_C000, base: 0, context: [1]))
        return RegistryRecord(
            vault: fixture.record.vault, owner: fixture.record.owner, ownerName: "tester",
            created: fixture.record.created, sealer: .software, authenticatorKey: fixture.record.authenticatorKey,
            storageKey: nil, counter: pin, objects: fixture.record.objects)
    }

    /// The same while the vault is open.
    @Test func anOpenVaultCountsOneStepAtOnce() throws {
        let even = Miscounter(sealer: fixture.sealer, reached: 1, stands: 1)
        let vault = try OpenVault(directory: fixture.folder.path, record: countedRecord(), sealer: even)
        try vault.begin()
        #expect(vault.epoch == 2 && vault.isAhead)
        let putBack = Miscounter(sealer: fixture.sealer, reached: 0, stands: 0)
        let code = #expect(throws: SealerError.self) { try vault.count(with: putBack) }?.code
        #expect(code == .counterGone && vault.isAhead)
        try vault.count(with: even)
        #expect(vault.countedEpoch == 2)
    }

    /// The header of an accepted file is the next one, as after every other change.
    @Test func anAcceptedFileIsTheNextRevision() throws {
        let before = try fixture.open()
        let revision = before.lastHeader.revision
        try before.close()
        let vault = try OpenVault(
            accepting: countedRecord(), sparing: Registry(directory: fixture.folder.path, authenticatorUID: 0),
            directory: fixture.folder.path,
            sealer: Miscounter(sealer: fixture.sealer, reached: 5, stands: 5))
        #expect(vault.epoch == 7 && vault.lastHeader.revision == revision + 1)
    }
}
