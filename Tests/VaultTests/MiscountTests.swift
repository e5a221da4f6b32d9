import Authorization
import Cryptography
import Testing

@testable import Vault

/// A counter that does not come to stand where it should: somebody else counts at the same moment, or it is too far
/// behind.
struct MiscountTests {
    /// Seals by software, and has a counter that always answers the same.
    private struct Miscounter: Sealer, EpochCounting {
        let sealer: SoftwareSealer
        let reached: UInt64

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
        ) throws(SealerError) -> UInt64 { reached }

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
}
