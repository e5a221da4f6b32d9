import CTSS2
import Cryptography

/// A key that lets an index be written once and never again. It is made for one index, signs one write in one session,
/// and is then gone. If the index is redefined under the same Name, it stays unwritten for ever, because nobody can
/// meet its write policy.
struct OneTimeWriter: ~Copyable {
    let policy: SignedPolicy
    private let key: P256.PrivateKey

    init() throws(TPMError) {
        let key = try Self.generate()
        let reference = try Digest.sha256(Array("org.coffer.tpm.one-time-write".utf8))
        let policy = try SignedPolicy(signer: key.publicKey, reference: reference)
        self.key = key
        self.policy = policy
    }

    private static func generate() throws(TPMError) -> P256.PrivateKey {
        do throws(CryptographyError) {
            return try P256.PrivateKey.generate()
        } catch {
            throw TPMError(.other, "no key could be made for an NV index: \(error.reason)")
        }
    }

    /// Writes, and ends the key. Takes five commands.
    consuming func write<Role>(
        _ content: [UInt8], to index: borrowing NVIndex<Role>, _ context: borrowing TPMContext,
        under storageKey: borrowing StorageKey
    ) throws(TPMError) {
        let key = self.key
        try context.write(content, to: index, policy, under: storageKey) { (message) throws(TPMError) in
            do throws(CryptographyError) {
                return try key.signature(for: message)
            } catch {
                throw TPMError(.other, "the write of an NV index could not be signed: \(error.reason)")
            }
        }
    }
}

extension TPMContext {
    /// `TPM2_NV_Write` of the whole content, signed for this session and these bytes. Takes five commands. Part 3,
    /// section 31.7.
    ///
    /// - Parameter sign: gets `nonce ‖ i32 0 ‖ parameter hash ‖ reference` and returns `r ‖ s`.
    func write<Role>(
        _ content: [UInt8], to index: borrowing NVIndex<Role>, _ policy: SignedPolicy,
        under storageKey: borrowing StorageKey, sign: (_ message: [UInt8]) throws(TPMError) -> [UInt8]
    ) throws(TPMError) {
        guard content.count == Int(Role.size) else { throw TPMError(.other, "an NV index is written as a whole") }
        let verification = try loadVerificationKey(policy)
        let session = try startPolicySession(saltedTo: storageKey)
        let hash = try CommandParameterHash.write(name: name(of: index.reference), content: content)
        let signature = try sign(session.nonce() + [0, 0, 0, 0] + hash + policy.reference)
        try session.authorize(policy, by: verification, parameterHash: hash, signature: signature)
        // The content is not secret, and encrypting it would change the signed hash. The TPM ends the session.
        try session.set(TPMA_SESSION(0))
        var data = try TPM2B_MAX_NV_BUFFER(content: content)
        try engine.check(
            unsafe Esys_NV_Write(
                engine.esys, index.reference, index.reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE, &data, 0),
            .nvWrite)
        engine.forget(session.handle)
        guard try name(of: index.reference) == index.identity.name() else {
            throw TPMError.indexReplaced(index.identity.handle)
        }
    }
}
