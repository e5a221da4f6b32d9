import CTSS2
import Cryptography

/// What is known about the TPM that holds a storage key.
public struct Endorsement: Sendable, Hashable {
    public enum Standing: String, Sendable, Hashable {
        /// Its maker vouches for it, and root has the maker's certificate.
        case certified
        /// It has a certificate from an issuer that root does not know.
        case issuerUnknown
        /// Its certificate is for another key or another purpose, so it proves nothing.
        case foreignCertificate
        /// It has no certificate. The key seen first is pinned.
        case noCertificate
    }

    public let standing: Standing
    /// The Name of its endorsement key, 34 bytes. Pin it, and compare it the next time.
    public let name: [UInt8]
}

extension TPMContext {
    /// Identifies the TPM and proves that it holds the endorsement key **and** this storage key. Takes about a dozen
    /// commands, some of them slow. It is for the first use and for diagnosis.
    ///
    /// The proof is a session salted to the endorsement key. Nobody else can authenticate its answers. A simulator in
    /// front of the TPM can copy certificate and public key, but it cannot answer in that session.
    ///
    /// - Throws: `.replaced` if the proof fails, or for another storage key.
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
            // tcg-kp-EKCertificate, 2.23.133.8.1. Older certificates do not list it.
            guard certificate.subjectKey == endorsementKey.publicKey,
                try certificate.isFor(purpose: [0x06, 0x05, 0x67, 0x81, 0x05, 0x08, 0x01]) ?? true
            else { return Endorsement(standing: .foreignCertificate, name: endorsementKey.name) }
            let issued = try certificate.isIssued(under: roots, intermediates: intermediates)
            return Endorsement(standing: issued ? .certified : .issuerUnknown, name: endorsementKey.name)
        } catch {
            throw TPMError(.other, "the TPM's endorsement certificate could not be checked: \(error.reason)")
        }
    }

    /// `TPM2_ReadPublic` of the storage key in a session salted to the endorsement key. Takes two commands.
    private func prove(_ key: borrowing StorageKey, by endorsementKey: borrowing EndorsementKey) throws(TPMError) {
        let session = try HMACSession(engine, start(TPM2_SE(TPM2_SE_HMAC), endorsementKey.object.reference))
        try session.set(TPMA_SESSION(TPMA_SESSION_ENCRYPT))
        var area = ESYSOutput<TPM2B_PUBLIC>()
        var name = ESYSOutput<TPM2B_NAME>()
        let code = unsafe Esys_ReadPublic(
            engine.esys, key.reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE,
            &area.pointer, &name.pointer, nil)
        // The channel works. So TSS found that the answer does not match the session, or the request was not
        // understood.
        if code != 0, engine.channel.failure == nil {
            throw TPMError(
                .replaced,
                "the TPM does not hold the endorsement key that it shows: something stands between it and this machine",
                responseCode: code)
        }
        try engine.check(code, .readPublic)
        engine.forget(session.handle)
        guard try name.bytes(.readPublic) == key.identity.name else { throw TPMError.replaced() }
    }
}
