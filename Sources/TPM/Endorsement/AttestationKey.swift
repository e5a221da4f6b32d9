import CTSS2
import Cryptography

/// The key with which a TPM signs what it says of itself, and nothing else. It has an empty password. It is flushed
/// when this value goes.
struct AttestationKey: ~Copyable {
    let object: LoadedObject<HandleRole.AttestationKey>
    /// 65 bytes.
    let point: [UInt8]
}

extension HandleRole {
    public enum AttestationKey {}
}

/// The keys that make a TPM known to others.
public struct MachineKeys: Sendable, Hashable {
    /// The endorsement key of P-256, 65 bytes.
    public let endorsement: [UInt8]
    /// The attestation key, 65 bytes.
    public let attestation: [UInt8]
}

extension TPMContext {
    /// The TPM's keys, the same ones each time. Takes four commands.
    ///
    /// - Throws: as ``endorsementKey(_:)``; `.unsupported` if a key's coordinate has not 32 bytes.
    public func machineKeys() throws(TPMError) -> MachineKeys {
        let attestation = try attestationKey()
        return MachineKeys(
            endorsement: try Self.point(of: endorsementKey(.ecc)), attestation: attestation.point)
    }

    /// `TPM2_CreatePrimary` under the endorsement hierarchy, which gives the same key each time. Takes one command.
    func attestationKey() throws(TPMError) -> AttestationKey {
        let made: EndorsementPrimary<HandleRole.AttestationKey> = try endorsementPrimary(
            Self.attestationTemplate().marshalled)
        let area = try PublicArea(marshalled: made.publicArea)
        // Its Name is computed from its point elsewhere.
        guard area.shape == .signatureKey, area.attributes == .attestationKey, area.policy.isEmpty,
            area.unique.allSatisfy({ $0.count == 32 })
        else { throw TPMError(.unsupported, "this TPM makes no key that can prove where other keys are") }
        let point = try area.point()
        return AttestationKey(object: made.object, point: point)
    }

    /// The label makes it another key than anybody else's of this kind.
    private static func attestationTemplate() throws(TPMError) -> PublicArea {
        let label = try Digest.sha256(Array("org.coffer.attestation".utf8))
        return PublicArea(.signatureKey, .attestationKey, unique: [label, [UInt8](repeating: 0, count: 32)])
    }

    static func point(of key: borrowing EndorsementKey) throws(TPMError) -> [UInt8] {
        guard case .p256(let point) = key.publicKey else {
            throw TPMError(.unsupported, "this TPM has no endorsement key of P-256")
        }
        return point
    }
}
