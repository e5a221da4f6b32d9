import Authorization
import Circle
import Cryptography
import TPM

/// Proves to others that keys are in this machine's TPM (docs/sync-format.md, "Proof of a TPM").
///
/// Calls are synchronous and may block, as those of a ``Sealer`` do.
public protocol KeyAttesting: Sendable {
    /// The keys that make the TPM known to others.
    ///
    /// - Throws: `.unsupported` for a TPM without such keys; `.other` if the endorsement password is set.
    func machineIdentity() throws(SealerError) -> MachineIdentity

    /// The TPM's word that these keys are in it.
    ///
    /// - Parameters:
    ///   - keys: under the record's storage key.
    ///   - request: what is signed besides is made from this and from the credential's secret.
    /// - Throws: `.policyRefused` if the credential is for another TPM.
    func attest(
        _ keys: [SealedObject], to credential: IdentityCredential, request: [UInt8], record: RegistryRecord
    ) throws(SealerError) -> AttestedLoads
}

extension TPMSealer: KeyAttesting {
    public func machineIdentity() throws(SealerError) -> MachineIdentity {
        do throws(TPMError) {
            let keys = try access.open().machineKeys()
            do throws(CryptographyError) {
                return try MachineIdentity(endorsement: keys.endorsement, attestation: keys.attestation)
            } catch { throw TPMError(.other, "the TPM's identity cannot be used: \(error.reason)") }
        } catch { throw SealerError(error) }
    }

    public func attest(
        _ keys: [SealedObject], to credential: IdentityCredential, request: [UInt8], record: RegistryRecord
    ) throws(SealerError) -> AttestedLoads {
        let stored = keys.map { StoredObject(publicArea: $0.public, privateArea: $0.private) }
        let credential = MadeCredential(encryptedSecret: credential.encryptedSecret, idObject: credential.idObject)
        return try perform(record) { context, parent throws(TPMError) in
            let proof = try context.proof(of: stored, under: parent, for: credential) {
                secret throws(CryptographyError) in try JoinChallenge.qualifying(secret, request: request)
            }
            return AttestedLoads(statement: proof.statement, signature: proof.signature)
        }
    }
}
