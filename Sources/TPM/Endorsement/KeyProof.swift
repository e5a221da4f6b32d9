import CTSS2
import Cryptography

/// A credential that somebody else made for this TPM's attestation key. TPM 2.0 Library, Part 1, "Credential
/// Protection".
public struct MadeCredential: Sendable, Hashable {
    /// The content of a `TPM2B_ENCRYPTED_SECRET`.
    public let encryptedSecret: [UInt8]
    /// The content of a `TPM2B_ID_OBJECT`.
    public let idObject: [UInt8]

    public init(encryptedSecret: [UInt8], idObject: [UInt8]) {
        self.encryptedSecret = encryptedSecret
        self.idObject = idObject
    }
}

/// The TPM's word that it has loaded certain keys, one after the other.
public struct KeyProof: Sendable, Hashable {
    /// `TPMS_ATTEST` of `TPM2_GetSessionAuditDigest`.
    public let statement: [UInt8]
    /// The attestation key's signature of the statement, `r ‖ s`, 64 bytes.
    public let signature: [UInt8]
}

extension TPMContext {
    /// Proves that these keys are in the TPM of an endorsement key. An audit session covers a `TPM2_Load` of each, in
    /// their order, and the attestation key signs its digest. A key that can be loaded under the storage key and says
    /// that it is fixed to its TPM was made there. Takes two commands for each key and ten more. Part 1, "Audit
    /// Session", and Part 3, sections 12.5 and 18.5.
    ///
    /// - Parameters:
    ///   - qualifying: makes what is signed besides, 1 to 32 bytes, from the credential's secret.
    /// - Throws: `.policyRefused` if the credential is not for this TPM's attestation key; otherwise as
    ///   ``endorsementKey(_:)``.
    public func proof(
        of keys: [StoredObject], under parent: borrowing StorageKey, for credential: MadeCredential,
        qualifying: (SecretBytes) throws(CryptographyError) -> [UInt8]
    ) throws(TPMError) -> KeyProof {
        let attestation = try attestationKey()
        let secret = try activate(credential, for: attestation, parent)
        let data: [UInt8]
        do throws(CryptographyError) { data = try qualifying(secret) } catch {
            throw TPMError(.other, "a challenge could not be digested: \(error.reason)")
        }
        let session = try startHMACSession(saltedTo: parent)
        try session.audit()
        for key in keys {
            let reference = try load(key, parent, auditing: session)
            try LoadedObject<HandleRole.PrimaryKey>(engine, reference, .load).flush()
        }
        return try sign(session, attestation, data)
    }

    private func activate(
        _ credential: MadeCredential, for attestation: borrowing AttestationKey, _ parent: borrowing StorageKey
    ) throws(TPMError) -> SecretBytes {
        let endorsement = try endorsementKey(.ecc)
        var idObject = try TPM2B_ID_OBJECT(content: credential.idObject)
        var encryptedSecret = try TPM2B_ENCRYPTED_SECRET(content: credential.encryptedSecret)
        let session = try startPolicySession(saltedTo: parent)
        // The endorsement key's policy: the hierarchy's password, which is empty.
        try engine.check(
            unsafe Esys_PolicySecret(
                engine.esys, ESYS_TR(ESYS_TR_RH_ENDORSEMENT), session.reference, ESYS_TR(ESYS_TR_PASSWORD),
                ESYS_TR_NONE, ESYS_TR_NONE, nil, nil, nil, 0, nil, nil),
            .policySecret)
        try session.set(TPMA_SESSION(TPMA_SESSION_ENCRYPT))
        var output = ESYSOutput<TPM2B_DIGEST>()
        let code = unsafe Esys_ActivateCredential(
            engine.esys, attestation.object.reference, endorsement.object.reference, ESYS_TR(ESYS_TR_PASSWORD),
            session.reference, ESYS_TR_NONE, &idObject, &encryptedSecret, &output.pointer)
        engine.wipeAnswer()
        if code != 0, ResponseCode(code).isRefusal {
            throw TPMError(.policyRefused, "the challenge is not for this machine's TPM", responseCode: code)
        }
        try engine.check(code, .activateCredential)
        engine.forget(session.handle)
        return try unsafe output.value(.activateCredential) { (pointer: UnsafePointer<TPM2B_DIGEST>) throws(TPMError) in
            try unsafe Secret.copy(TPM2B_DIGEST.content(at: pointer))
        }
    }

    private func sign(
        _ session: borrowing HMACSession, _ attestation: borrowing AttestationKey, _ data: [UInt8]
    ) throws(TPMError) -> KeyProof {
        var qualifying = try TPM2B_DATA(content: data)
        var scheme = TPMT_SIG_SCHEME()
        scheme.scheme = TPM2_ALG_NULL
        var statement = ESYSOutput<TPM2B_ATTEST>()
        var signature = ESYSOutput<TPMT_SIGNATURE>()
        try engine.check(
            unsafe Esys_GetSessionAuditDigest(
                engine.esys, ESYS_TR(ESYS_TR_RH_ENDORSEMENT), attestation.object.reference, session.reference,
                ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE, &qualifying, &scheme,
                &statement.pointer, &signature.pointer),
            .getSessionAuditDigest)
        return KeyProof(
            statement: try statement.bytes(.getSessionAuditDigest),
            signature: try unsafe signature.value(.getSessionAuditDigest) {
                (pointer: UnsafePointer<TPMT_SIGNATURE>) throws(TPMError) in try unsafe CStructures.bytes(pointer)
            })
    }
}
