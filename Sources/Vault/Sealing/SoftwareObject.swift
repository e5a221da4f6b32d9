import Authorization
import Cryptography
import Platform
import TPM

/// The software sealer's public area (docs/vault-format.md, "object"). Its Name is computed over all of it.
struct SoftwareObject: Equatable {
    static let domain = Array("org.coffer.software".utf8)

    let role: ObjectRole
    let policyReference: [UInt8]
    let authenticatorKey: [UInt8]
    /// The public point of a constraint key or a signing key; otherwise empty.
    let point: [UInt8]

    /// The public area that an object of this role must have.
    ///
    /// - Parameter setDigest: the digest of the enrolled fingers, for the key that belongs to them.
    init(
        role: ObjectRole, vault: VaultID, owner: Owner, authenticatorKey: [UInt8], setDigest: [UInt8] = [],
        point: [UInt8] = []
    ) throws(CryptographyError) {
        self.role = role
        self.point = point
        if let kind = role.authorization {
            policyReference = try PolicyReference(
                vault: vault, owner: owner, kind: kind, setDigest: kind == .biometryCurrentSet ? setDigest : []
            ).digest()
            self.authenticatorKey = authenticatorKey
        } else {
            policyReference = []
            self.authenticatorKey = []
        }
    }

    var encoded: [UInt8] {
        LengthPrefixed.encode(Self.domain) + BigEndian.bytes(role.rawValue)
            + LengthPrefixed.encode(policyReference, authenticatorKey, point)
    }

    /// Parses a public area and compares it with the one computed from the record.
    ///
    /// - Throws: `.damaged`.
    static func check(
        _ object: SealedObject, record: RegistryRecord
    ) throws(SealerError) -> (object: SoftwareObject, name: [UInt8]) {
        // The Name pins every byte. Computing the area again shows that root's record itself demands this policy.
        let point = object.role.isAgreementKey ? Array(object.public.suffix(P256.pointCount)) : []
        let name: [UInt8]
        let expected: SoftwareObject
        do throws(CryptographyError) {
            name = try self.name(of: object.public)
            expected = try SoftwareObject(
                role: object.role, vault: record.vault, owner: record.owner, authenticatorKey: record.authenticatorKey,
                setDigest: record.biometrySet ?? [], point: point)
        } catch {
            throw SealerError(error)
        }
        guard let pinned = record.objects[object.role], ConstantTime.equal(pinned, name),
            expected.encoded == object.public,
            point.isEmpty || P256.isOnCurve(point)
        else {
            throw SealerError(
                .damaged, "object \(object.role.rawValue) of the vault is not the one in the registry",
                advice: RecoveryAdvice.newestCopy)
        }
        return (expected, name)
    }

    /// Compares the public area of a circle's signing key with the one computed from the record. The record has no Name
    /// of it, so its point stands for it.
    ///
    /// - Throws: `.damaged`.
    static func check(
        _ key: SealedObject, _ role: ObjectRole, point: [UInt8], record: RegistryRecord
    ) throws(SealerError) -> (object: SoftwareObject, name: [UInt8]) {
        let expected: SoftwareObject
        let name: [UInt8]
        do throws(CryptographyError) {
            expected = try SoftwareObject(
                role: role, vault: record.vault, owner: record.owner, authenticatorKey: record.authenticatorKey,
                point: point)
            name = try self.name(of: expected.encoded)
        } catch {
            throw SealerError(error)
        }
        guard key.role == role, expected.encoded == key.public, P256.isOnCurve(point) else {
            throw SealerError(.damaged, "the key is not the \(role) of this device")
        }
        return (expected, name)
    }

    /// `u16 0x000B ‖ SHA-256`, the form of a TPM's Names.
    static func name(of encoded: [UInt8]) throws(CryptographyError) -> [UInt8] {
        [0x00, 0x0B] + (try SHA256.digest(encoded))
    }
}

extension SoftwareSealer {
    /// The key that everything is sealed under, derived from the file's 32 bytes.
    ///
    /// - Parameter makingIt: makes the file if it is missing and no vault needs it. Only for a new vault, because an old
    ///   one needs its own key.
    /// - Throws: `.unavailable`, `.replaced`.
    func machineKey(makingIt: Bool) throws(SealerError) -> SecretBytes {
        do {
            if try FileStatus.of(path) == nil {
                guard makingIt else {
                    throw SealerError(
                        .replaced, "the software sealer's key \(path) is gone", advice: "restore it from a backup")
                }
                try checkNoVaultMissesIt()
                try DurableFile.write(Random.bytes(32), to: path, mode: 0o600)
            }
            guard let status = try FileStatus.of(path), status.isRegular, status.mode & 0o077 == 0 else {
                throw SealerError(.unavailable, "\(path) must be a file that only its owner can read")
            }
            let bytes = try DurableFile.read(path, limit: 32)
            guard bytes.count == 32 else { throw SealerError(.replaced, "\(path) is not a key of 32 bytes") }
            return try HKDF.derive(SecretBytes(copying: bytes), salt: [], info: SoftwareObject.domain, count: 32)
        } catch let error as SealerError {
            throw error
        } catch {
            throw SealerError(.unavailable, "the software sealer's key cannot be used: \(error)")
        }
    }

    /// Another key would take the place to which a backup of the lost one belongs.
    private func checkNoVaultMissesIt() throws(SealerError) {
        guard let registry else { return }
        let records: [RegistryRecord]
        do throws(RegistryError) { records = try registry.records() } catch {
            throw SealerError(
                .unavailable, "the software sealer's key \(path) is gone, and the registry cannot be read: \(error)")
        }
        guard records.contains(where: { $0.sealer == .software }) else { return }
        throw SealerError(
            .replaced, "the software sealer's key \(path) is gone, and vaults need it",
            advice: """
                restore it from a backup, with mode 0600; no other key opens these vaults; without a backup, root moves \
                each of them out of the way with: coffer vault set-aside
                """)
    }
}
