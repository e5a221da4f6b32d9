import Authorization
import Cryptography

/// A vault that software seals cannot be bound. With its files, an attacker could try passwords that nobody counts.
extension SoftwareSealer {
    private static let refusal = SealerError(
        .unsupported, "only a TPM counts the tries of a password, and this machine's vaults are sealed by software")

    public func bind(
        _ unlockRoot: SecretBytes, pin: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> ResealedRoot { throw Self.refusal }

    public func sealUnbound(_ unlockRoot: SecretBytes, record: RegistryRecord) throws(SealerError) -> ResealedRoot {
        throw Self.refusal
    }

    public func openBound(
        _ objects: SealedObjects, record: RegistryRecord,
        prove: (SigningRequest) throws(SigningRefusal) -> BoundProof
    ) throws(SealerError) -> SecretBytes { throw Self.refusal }

    public func removeIndex(_ index: VaultIndex) throws(SealerError) { throw Self.refusal }

    /// Software has no memory that cannot be rolled back, so ending a generation would not stop earlier copies
    /// (docs/rotation.md).
    public func endGeneration(_ generation: GenerationPin) throws(SealerError) {}

    public func name(of object: SealedObject) throws(SealerError) -> [UInt8] {
        do throws(CryptographyError) { return try SoftwareObject.name(of: object.public) } catch {
            throw SealerError(.other, "\(error)")
        }
    }
}
