import CTSS2
import Cryptography

/// What is known of the TPM that holds a storage key.
public struct Endorsement: Sendable, Hashable {
    public enum Standing: String, Sendable, Hashable {
        /// Its maker, of whom root has a certificate, vouches for it.
        case certified
        /// It has a certificate, from somebody root does not know.
        case issuerUnknown
        /// It has a certificate that speaks of another key or of another purpose: it proves nothing.
        case foreignCertificate
        /// It has none: the key seen first is pinned.
        case noCertificate
    }

    public let standing: Standing
    /// Name of its endorsement key, 34 bytes: what to pin, and to compare the next time.
    public let name: [UInt8]
}

extension TPMContext {
    /// Who the TPM is, proved: it holds the endorsement key **and**, in the same TPM, this storage key. About a dozen
    /// commands, some of them slow; for the first use and for diagnosis.
    ///
    /// The proof is a session salted to the endorsement key, whose answers nobody else can authenticate. A simulator in
    /// front of the TPM may copy certificate and public key, but cannot answer in that session.
    ///
    /// - Throws: `.replaced` where the proof fails, or for another storage key.
    public func endorsement(
        of key: borrowing StorageKey, roots: [Certificate], intermediates: [Certificate] = []
    ) throws(TPMError) -> Endorsement {
        var found: (EndorsementTemplate, Certificate)?
        for template in EndorsementTemplate.allCases where found == nil {
            found = try endorsementCertificate(template).map { (template, $0) }
        }
        let endorsementKey = try endorsementKey(found?.0 ?? .ecc)
        try prove(key, by: endorsementKey)
        guard let (_, certificate) = found else {
            return Endorsement(standing: .noCertificate, name: endorsementKey.name)
        }
        do throws(CryptographyError) {
            // tcg-kp-EKCertificate, 2.23.133.8.1; older certificates do not say.
            guard certificate.subjectKey == endorsementKey.publicKey,
                try certificate.isFor(purpose: [0x06, 0x05, 0x67, 0x81, 0x05, 0x08, 0x01]) ?? true
            else { return Endorsement(standing: .foreignCertificate, name: endorsementKey.name) }
            let issued = try certificate.isIssued(under: roots, intermediates: intermediates)
            return Endorsement(standing: issued ? .certified : .issuerUnknown, name: endorsementKey.name)
        } catch {
            throw TPMError(.other, "the TPM's endorsement certificate could not be checked: \(error.reason)")
        }
    }

    /// `TPM2_ReadPublic` of the storage key in a session salted to the endorsement key; two commands.
    private func prove(_ key: borrowing StorageKey, by endorsementKey: borrowing EndorsementKey) throws(TPMError) {
        let session = try HMACSession(engine, start(TPM2_SE(TPM2_SE_HMAC), endorsementKey.object.reference))
        try session.set(TPMA_SESSION(TPMA_SESSION_ENCRYPT))
        var area = ESYSOutput<TPM2B_PUBLIC>()
        var name = ESYSOutput<TPM2B_NAME>()
        let code = unsafe Esys_ReadPublic(
            engine.esys, key.reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE,
            &area.pointer, &name.pointer, nil)
        // Not the TPM's code but TSS's: the answer does not fit the session, or what was asked was not understood.
        if code != 0, engine.channel.failure == nil {
            throw TPMError(
                .replaced, "the TPM does not hold the endorsement key that it shows: something stands in front of it",
                responseCode: code)
        }
        try engine.check(code, .readPublic)
        engine.forget(session.handle)
        guard try name.bytes(.readPublic) == key.identity.name else { throw TPMError.replaced() }
    }
}
