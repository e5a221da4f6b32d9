import CTSS2
import Cryptography

/// A secret of at most 32 bytes that only the TPM with this storage key can open, without asking anybody. It is a
/// credential that the storage key makes for itself. It opens with one command, while sealed data takes three. TPM 2.0
/// Library, Part 1, "Credential Protection".
public struct StoredCredential: Sendable, Hashable {
    /// A marshalled `TPM2B_ENCRYPTED_SECRET`. This ephemeral point lets the storage key derive the encryption key of
    /// the other part.
    public let encryptedSecret: [UInt8]
    /// A marshalled `TPM2B_ID_OBJECT`. It is the encrypted secret, authenticated together with the storage key's Name.
    public let idObject: [UInt8]

    public init(encryptedSecret: [UInt8], idObject: [UInt8]) {
        self.encryptedSecret = encryptedSecret
        self.idObject = idObject
    }

    /// The value to pin outside the TPM, 34 bytes: `TPM_ALG_NULL ‖ SHA-256(encryptedSecret ‖ idObject)`. It must be
    /// pinned because anybody can make a credential for a storage key, with a secret of their choice.
    public func name() throws(TPMError) -> [UInt8] {
        var name: [UInt8] = []
        name.append(Self.nameAlgorithm)
        return try name + Digest.sha256(encryptedSecret + idObject)
    }

    /// Whether this is a credential's name. An object's Name begins with its digest's algorithm, so never with
    /// `TPM_ALG_NULL`.
    public static func isName(_ name: [UInt8]) -> Bool {
        name.starts(with: [UInt8(nameAlgorithm >> 8), UInt8(nameAlgorithm & 0xFF)])
    }

    private static let nameAlgorithm: UInt16 = 0x0010
}

extension TPMContext {
    /// Keeps a secret of 1 to 32 bytes as a credential of the storage key, and opens it once as a test. The test is
    /// needed because hardly anybody uses these two commands: only makers' tests of attestation keys do, and those use
    /// other handles. The secret travels encrypted. Takes two commands. Part 3, sections 12.5 and 12.6.
    ///
    /// - Returns: nil if this TPM refuses one of the commands or opens something else. The caller must then seal the
    ///   secret.
    public func makeCredential(
        _ secret: SecretBytes, of key: borrowing StorageKey, session: borrowing HMACSession
    ) throws(TPMError) -> StoredCredential? {
        guard (1...32).contains(secret.count) else { throw TPMError(.other, "a TPM's credential is 1 to 32 bytes") }
        do {
            let made = try make(secret, key, session)
            return try activate(made, key, session, continues: true) == secret ? made : nil
        } catch {
            guard ResponseCode(error.responseCode).isRefusal else { throw error }
            return nil
        }
    }

    /// Checks a credential, then opens it. The answer travels encrypted, and the TPM ends the session. Takes one
    /// command.
    ///
    /// - Parameter name: the pinned name.
    /// - Throws: `.damaged` for an unexpected credential, before the TPM sees it.
    public func openCredential(
        _ credential: StoredCredential, name: [UInt8], of key: borrowing StorageKey, _ session: consuming HMACSession
    ) throws(TPMError) -> SecretBytes {
        try credential.check(name)
        let secret = try activate(credential, key, session, continues: false)
        engine.forget(session.handle)
        return secret
    }

    /// The same, but keeps the session.
    public func openCredential(
        _ credential: StoredCredential, name: [UInt8], of key: borrowing StorageKey,
        keeping session: borrowing HMACSession
    ) throws(TPMError) -> SecretBytes {
        try credential.check(name)
        return try activate(credential, key, session, continues: true)
    }

    private func make(
        _ secret: SecretBytes, _ key: borrowing StorageKey, _ session: borrowing HMACSession
    ) throws(TPMError) -> StoredCredential {
        var credential = TPM2B_DIGEST()
        defer { unsafe wipe(&credential, MemoryLayout<TPM2B_DIGEST>.size) }
        credential.size = UInt16(secret.count)
        unsafe secret.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            unsafe withUnsafeMutableBytes(of: &credential.buffer) { unsafe $0.copyMemory(from: bytes) }
        }
        var name = try TPM2B_NAME(content: key.identity.name)
        var idObject = ESYSOutput<TPM2B_ID_OBJECT>()
        var encryptedSecret = ESYSOutput<TPM2B_ENCRYPTED_SECRET>()
        try session.set(TPMA_SESSION(TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_DECRYPT))
        try engine.check(
            unsafe Esys_MakeCredential(
                engine.esys, key.reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE, &credential, &name,
                &idObject.pointer, &encryptedSecret.pointer),
            .makeCredential)
        var parts: ([UInt8], [UInt8]) = ([], [])
        parts.0.append(sized: try encryptedSecret.bytes(.makeCredential))
        parts.1.append(sized: try idObject.bytes(.makeCredential))
        return StoredCredential(encryptedSecret: parts.0, idObject: parts.1)
    }

    /// The storage key both decrypts the credential and is the object that it is for.
    private func activate(
        _ credential: StoredCredential, _ key: borrowing StorageKey, _ session: borrowing HMACSession, continues: Bool
    ) throws(TPMError) -> SecretBytes {
        var idObject = try TPM2B_ID_OBJECT(content: Self.content(credential.idObject))
        var encryptedSecret = try TPM2B_ENCRYPTED_SECRET(content: Self.content(credential.encryptedSecret))
        try session.set(TPMA_SESSION(TPMA_SESSION_ENCRYPT | (continues ? TPMA_SESSION_CONTINUESESSION : 0)))
        var output = ESYSOutput<TPM2B_DIGEST>()
        let code = unsafe Esys_ActivateCredential(
            engine.esys, key.reference, key.reference, session.reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE,
            &idObject, &encryptedSecret, &output.pointer)
        engine.wipeAnswer()
        try engine.check(code, .activateCredential)
        return try unsafe output.value(.activateCredential) { (pointer: UnsafePointer<TPM2B_DIGEST>) throws(TPMError) in
            try unsafe Secret.copy(TPM2B_DIGEST.content(at: pointer))
        }
    }

    private static func content(_ marshalled: [UInt8]) throws(TPMError) -> [UInt8] {
        var reader = MarshalledReader(marshalled)
        let content = try reader.sized()
        try reader.end()
        return content
    }
}

extension StoredCredential {
    fileprivate func check(_ pinned: [UInt8]) throws(TPMError) {
        guard try name() == pinned else {
            throw TPMError(
                .damaged, "a stored credential is not the one this vault was made with",
                advice: "keep the present file, and restore a backup")
        }
    }
}
