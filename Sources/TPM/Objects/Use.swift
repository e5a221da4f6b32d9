import CTSS2
import Cryptography

extension LoadedObject where Role == HandleRole.SealedData {
    /// `TPM2_Unseal`, with the empty password (HMAC session) or by policy, depending on the session's kind. The answer
    /// travels encrypted, and the TPM ends the session. Takes one command. TPM 2.0 Library, Part 3, section 12.7.
    public func unseal<Kind>(_ session: consuming Session<Kind>) throws(TPMError) -> SecretBytes {
        let secret = try unseal(session, continues: false)
        engine.forget(session.handle)
        return secret
    }

    /// The same, but keeps the session.
    public func unseal(keeping session: borrowing HMACSession) throws(TPMError) -> SecretBytes {
        try unseal(session, continues: true)
    }

    private func unseal<Kind>(_ session: borrowing Session<Kind>, continues: Bool) throws(TPMError) -> SecretBytes {
        try session.set(TPMA_SESSION(TPMA_SESSION_ENCRYPT | (continues ? TPMA_SESSION_CONTINUESESSION : 0)))
        var output = ESYSOutput<TPM2B_SENSITIVE_DATA>()
        let code = unsafe Esys_Unseal(
            engine.esys, reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE, &output.pointer)
        engine.wipeAnswer()
        try engine.check(code, .unseal)
        return try unsafe output.value(.unseal) { (pointer: UnsafePointer<TPM2B_SENSITIVE_DATA>) throws(TPMError) in
            try unsafe Secret.copy(TPM2B_SENSITIVE_DATA.content(at: pointer))
        }
    }
}

extension LoadedObject where Role == HandleRole.AgreementKey {
    /// `TPM2_ECDH_ZGen` with an uncompressed point of 65 bytes. Returns the shared point's X, 32 bytes. The answer
    /// travels encrypted, and the TPM ends the session. Takes one command. Part 3, section 14.5.
    public func agree(with point: [UInt8], _ session: consuming PolicySession) throws(TPMError) -> SecretBytes {
        // The point is public, and encrypting it would change the signed parameter hash.
        try session.set(TPMA_SESSION(TPMA_SESSION_ENCRYPT))
        var input = try CStructures.point(point)
        var output = ESYSOutput<TPM2B_ECC_POINT>()
        let code = unsafe Esys_ECDH_ZGen(
            engine.esys, reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE, &input, &output.pointer)
        engine.wipeAnswer()
        try engine.check(code, .agree)
        engine.forget(session.handle)
        return try unsafe output.value(.agree) { (pointer: UnsafePointer<TPM2B_ECC_POINT>) throws(TPMError) in
            let x = unsafe UnsafeRawPointer(pointer) + MemoryLayout<TPM2B_ECC_POINT>.offset(of: \.point.x)!
            return try unsafe Secret.copy(
                TPM2B_ECC_PARAMETER.content(at: x.assumingMemoryBound(to: TPM2B_ECC_PARAMETER.self)), paddedTo: 32)
        }
    }
}

/// Copies a secret out of memory that is about to be wiped.
enum Secret {
    static func copy(_ bytes: UnsafeRawBufferPointer, paddedTo count: Int = 0) throws(TPMError) -> SecretBytes {
        do {
            let secret = try unsafe SecretBytes(copying: bytes)
            guard bytes.count < count else { return secret }
            let zeros = try SecretBytes(copying: [UInt8](repeating: 0, count: count - bytes.count))
            return try SecretBytes.concatenating([zeros, secret])
        } catch {
            throw TPMError(.outOfMemory, "there is no memory for keys just now", advice: "try again in a moment")
        }
    }
}
