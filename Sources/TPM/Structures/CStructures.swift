import CTSS2

/// Converts between Swift's bytes and ESYS's C structures, with TSS's own marshalling.
enum CStructures {
    static func publicArea(_ marshalled: [UInt8]) throws(TPMError) -> TPM2B_PUBLIC {
        var value = TPM2B_PUBLIC()
        var offset = 0
        let code = unsafe Tss2_MU_TPM2B_PUBLIC_Unmarshal(marshalled, marshalled.count, &offset, &value)
        guard code == 0, offset == marshalled.count else {
            throw TPMError(.damaged, "a TPM object's public area is malformed", responseCode: code)
        }
        return value
    }

    static func bytes(_ value: UnsafePointer<TPM2B_PUBLIC>) throws(TPMError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<TPM2B_PUBLIC>.size)
        var offset = 0
        let code = unsafe Tss2_MU_TPM2B_PUBLIC_Marshal(value, &bytes, bytes.count, &offset)
        guard code == 0, offset <= bytes.count else {
            throw TPMError(.other, "a TPM object's public area cannot be written down", responseCode: code)
        }
        return [UInt8](bytes[..<offset])
    }

    static func nvPublicArea(_ area: NVPublicArea) throws(TPMError) -> TPM2B_NV_PUBLIC {
        var marshalled: [UInt8] = []
        marshalled.append(sized: area.body)
        var value = TPM2B_NV_PUBLIC()
        var offset = 0
        let code = unsafe Tss2_MU_TPM2B_NV_PUBLIC_Unmarshal(marshalled, marshalled.count, &offset, &value)
        guard code == 0, offset == marshalled.count else {
            throw TPMError(.other, "an NV index's public area is malformed", responseCode: code)
        }
        return value
    }

    static func point(_ point: [UInt8]) throws(TPMError) -> TPM2B_ECC_POINT {
        let (x, y) = try CommandParameterHash.coordinates(of: point)
        var value = TPM2B_ECC_POINT()
        value.point.x = try TPM2B_ECC_PARAMETER(content: x)
        value.point.y = try TPM2B_ECC_PARAMETER(content: y)
        return value
    }

    /// An ECDSA signature with SHA-256 from `r ‖ s`, 64 bytes.
    static func signature(_ bytes: [UInt8]) throws(TPMError) -> TPMT_SIGNATURE {
        guard bytes.count == 64 else { throw TPMError(.policyRefused, "a signature is not 64 bytes") }
        var value = TPMT_SIGNATURE()
        value.sigAlg = TPM2_ALG_ECDSA
        unsafe value.signature.ecdsa.hash = TPM2_ALG_SHA256
        unsafe value.signature.ecdsa.signatureR = try TPM2B_ECC_PARAMETER(content: [UInt8](bytes[..<32]))
        unsafe value.signature.ecdsa.signatureS = try TPM2B_ECC_PARAMETER(content: [UInt8](bytes[32...]))
        return value
    }

    /// `r ‖ s`, 64 bytes, of an ECDSA signature with SHA-256.
    static func bytes(_ signature: UnsafePointer<TPMT_SIGNATURE>) throws(TPMError) -> [UInt8] {
        guard unsafe signature.pointee.sigAlg == TPM2_ALG_ECDSA,
            unsafe signature.pointee.signature.ecdsa.hash == TPM2_ALG_SHA256
        else { throw TPMError(.other, "the TPM has signed by another scheme than it was asked for") }
        return try unsafe number(signature.pointee.signature.ecdsa.signatureR)
            + number(signature.pointee.signature.ecdsa.signatureS)
    }

    /// A number of a signature, 32 bytes. TPMs leave out zeros at its start.
    private static func number(_ parameter: TPM2B_ECC_PARAMETER) throws(TPMError) -> [UInt8] {
        let bytes = try unsafe withUnsafePointer(to: parameter) { (pointer) throws(TPMError) in
            try unsafe [UInt8](TPM2B_ECC_PARAMETER.content(at: pointer))
        }
        guard bytes.count <= 32 else { throw TPMError(.other, "the TPM's signature is longer than it can be") }
        return [UInt8](repeating: 0, count: 32 - bytes.count) + bytes
    }

    /// AES-128-CFB for a session's parameters.
    static func parameterCipher() -> TPMT_SYM_DEF {
        var value = TPMT_SYM_DEF()
        value.algorithm = TPM2_ALG_AES
        unsafe value.keyBits.aes = 128
        unsafe value.mode.aes = TPM2_ALG_CFB
        return value
    }
}
