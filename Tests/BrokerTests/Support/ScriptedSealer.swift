import Authorization
import Cryptography
import Synchronization
import Vault

@testable import TPM

/// A software sealer that a test makes fail, and that shares out the indexes of a TPM as a TPM's does.
final class ScriptedSealer: Sealer, SealerInspection {
    /// What a test has it do.
    struct Script {
        var makesKeys = true
        /// Runs before each description; throws to fail it.
        var describing: @Sendable () throws(SealerError) -> Void = {}
        /// Runs before each key for enrolled fingers is made.
        var makingSetKey: @Sendable () -> Void = {}
    }

    let script = Mutex(Script())
    private let sealer: SoftwareSealer
    private let descriptions = Mutex(0)
    private let setKeys = Mutex(0)

    init(_ sealer: SoftwareSealer) { self.sealer = sealer }

    /// How often its description was asked for.
    var described: Int { descriptions.withLock { $0 } }

    /// How many keys for enrolled fingers were made.
    var madeSetKeys: Int { setKeys.withLock { $0 } }

    var kind: SealerKind { sealer.kind }
    var binding: (any PasswordBinding)? { nil }
    var counting: (any EpochCounting)? { nil }
    var bootTie: (any BootTie)? { nil }
    var indexes: (any IndexRemoval)? { nil }
    var attesting: (any KeyAttesting)? { nil }
    var inspection: (any SealerInspection)? { self }

    func makeKeys(vault: VaultID, owner: Owner, authenticatorKey: [UInt8]) throws(SealerError) -> NewVaultKeys {
        guard script.withLock({ $0.makesKeys }) else { throw SealerError(.other, "it makes no keys now") }
        return try sealer.makeKeys(vault: vault, owner: owner, authenticatorKey: authenticatorKey)
    }

    func openDeviceRoot(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> SecretBytes {
        try sealer.openDeviceRoot(objects, record: record)
    }

    func begin(
        _ use: SignedUse, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> any PendingUse { try sealer.begin(use, objects, record: record) }

    func makeSetKey(
        _ setDigest: [UInt8], record: RegistryRecord
    ) throws(SealerError) -> (SealedObject, name: [UInt8]) {
        setKeys.withLock { $0 += 1 }
        let making = script.withLock { $0.makingSetKey }
        making()
        return try sealer.makeSetKey(setDigest, record: record)
    }

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

    func publicPoint(
        of role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> [UInt8] { try sealer.publicPoint(of: role, objects, record: record) }

    func name(of object: SealedObject) throws(SealerError) -> [UInt8] { try sealer.name(of: object) }

    func describe() throws(SealerError) -> SealerDescription {
        descriptions.withLock { $0 += 1 }
        let describing = script.withLock { $0.describing }
        try describing()
        return SealerDescription(manufacturer: "maker", model: "model")
    }

    func inspect(_ record: RegistryRecord?) throws(SealerError) -> SealerCondition {
        throw SealerError(.unsupported, "there is nothing to inspect")
    }

    func room() throws(SealerError) -> NVRoom { NVRoom(fixed: [:], variable: [:]) }

    func identity(of record: RegistryRecord, roots: [Certificate]) throws(SealerError) -> Endorsement.Standing {
        .noCertificate
    }
}
