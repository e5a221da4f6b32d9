import Authorization
import Cryptography
import Platform
import TPM

/// Seals under a key in one of the broker's files. It is for tests, and for machines without a TPM if root chose it. It
/// demands the same signatures over the same strings as a TPM. But it does so in the broker's own process, so it
/// protects less than a TPM.
public struct SoftwareSealer: Sealer {
    /// The name of the machine key's file in the broker's folder.
    public static let keyFile = "software-sealer.key"

    let path: String
    let registry: Registry?

    /// - Parameters:
    ///   - directory: the broker's own folder.
    ///   - registry: names the vaults that need the machine key. No other key is made in place of theirs. nil if there
    ///     are no others.
    public init(directory: String, registry: Registry? = nil) {
        path = "\(directory)/\(Self.keyFile)"
        self.registry = registry
    }

    public var kind: SealerKind { .software }

    public func describe() throws(SealerError) -> SealerDescription {
        SealerDescription(manufacturer: "Coffer", model: "software, no TPM")
    }

    public func makeKeys(
        vault: VaultID, owner: Owner, authenticatorKey: [UInt8]
    ) throws(SealerError) -> NewVaultKeys {
        let machineKey = try machineKey(makingIt: true)
        do throws(CryptographyError) {
            guard P256.isOnCurve(authenticatorKey) else {
                throw CryptographyError(code: .invalidKey, reason: "the authenticator's key is not a P-256 point")
            }
            let deviceRoot = try SecretBytes.random(count: 32)
            let unlockRoot = try SecretBytes.random(count: 32)
            let recovery = try X25519.PrivateKey.generate()
            var objects: [SealedObject] = []
            var names: [ObjectRole: [UInt8]] = [:]
            var secrets: [(ObjectRole, SecretBytes, [UInt8])] = [
                (.deviceRoot, deviceRoot, []), (.unlockRoot, unlockRoot, []),
                (.recovery, recovery.rawRepresentation, []),
            ]
            for role in ObjectRole.ofNewVault where role.isAgreementKey {
                let key = try P256.PrivateKey.generate()
                secrets.append((role, key.rawRepresentation, key.publicKey))
            }
            for (role, secret, point) in secrets {
                let area = try SoftwareObject(
                    role: role, vault: vault, owner: owner, authenticatorKey: authenticatorKey, point: point
                ).encoded
                names[role] = try SoftwareObject.name(of: area)
                objects.append(
                    SealedObject(
                        role: role, public: area,
                        private: try AESGCM.seal(secret, key: machineKey, associatedData: area)))
            }
            return NewVaultKeys(
                deviceRoot: deviceRoot, unlockRoot: unlockRoot, recoveryPublicKey: recovery.publicKey, objects: objects,
                names: names, storageKey: nil)
        } catch {
            throw SealerError(.other, "the keys of a new vault could not be made: \(error)")
        }
    }

    public func openDeviceRoot(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> SecretBytes {
        try unseal(check(.deviceRoot, objects, record).sealed)
    }

    public func makeSetKey(
        _ setDigest: [UInt8], record: RegistryRecord
    ) throws(SealerError) -> (SealedObject, name: [UInt8]) {
        let machineKey = try machineKey(makingIt: false)
        do throws(CryptographyError) {
            let key = try P256.PrivateKey.generate()
            let area = try SoftwareObject(
                role: .biometryCurrentSet, vault: record.vault, owner: record.owner,
                authenticatorKey: record.authenticatorKey, setDigest: setDigest, point: key.publicKey
            ).encoded
            let sealed = try AESGCM.seal(key.rawRepresentation, key: machineKey, associatedData: area)
            let object = SealedObject(role: .biometryCurrentSet, public: area, private: sealed)
            return (object, try SoftwareObject.name(of: area))
        } catch {
            throw SealerError(.other, "the key of the enrolled fingers could not be made: \(error)")
        }
    }

    public func publicPoint(
        of role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> [UInt8] {
        guard role.isAgreementKey else { throw SealerError(.other, "object \(role.rawValue) is not an agreement key") }
        return try check(role, objects, record).area.point
    }

    public func name(of object: SealedObject) throws(SealerError) -> [UInt8] {
        do throws(CryptographyError) { return try SoftwareObject.name(of: object.public) } catch {
            throw SealerError(.other, "\(error)")
        }
    }

    /// The object, if it is exactly what the record demands.
    func check(
        _ role: ObjectRole, _ objects: SealedObjects, _ record: RegistryRecord
    ) throws(SealerError) -> (sealed: SealedObject, area: SoftwareObject, name: [UInt8]) {
        try Self.requireSoftware(record)
        guard let object = objects[role], object.role == role else {
            throw SealerError(.damaged, "object \(role.rawValue) of the vault is missing")
        }
        let (area, name) = try SoftwareObject.check(object, record: record)
        return (object, area, name)
    }

    static func requireSoftware(_ record: RegistryRecord) throws(SealerError) {
        guard record.sealer == .software else {
            throw SealerError(
                .damaged, "this vault is sealed by a TPM", advice: "set “sealer = tpm” in the configuration")
        }
    }

    func unseal(_ object: SealedObject) throws(SealerError) -> SecretBytes {
        let key = try machineKey(makingIt: false)
        do throws(CryptographyError) {
            return try AESGCM.open(object.private, key: key, associatedData: object.public)
        } catch {
            throw damaged(object.role, error)
        }
    }

    func damaged(_ role: ObjectRole, _ error: CryptographyError) -> SealerError {
        error.code == .authenticationFailed
            ? SealerError(
                .damaged, "object \(role.rawValue) of the vault does not open with this machine's key \(path)",
                advice: "if \(path) was replaced, restore it from a backup; otherwise \(RecoveryAdvice.newestCopy)")
            : SealerError(error)
    }
}

/// What software cannot do, or could not do safely.
extension SoftwareSealer {
    /// With the files of a vault that software seals, an attacker could try passwords that nobody counts.
    public var binding: (any PasswordBinding)? { nil }

    /// An attacker who can roll back the vault's file could also roll back a file with a count.
    public var counting: (any EpochCounting)? { nil }

    public var bootTie: (any BootTie)? { nil }

    /// Without memory that cannot be rolled back, ending a generation of keys would not stop earlier copies
    /// (docs/rotation.md).
    public var indexes: (any IndexRemoval)? { nil }
    public var attesting: (any KeyAttesting)? { nil }

    public var inspection: (any SealerInspection)? { nil }
}
