import CTSS2

extension Session where Kind == SessionKind.Policy {
    /// This session's nonceTPM, 32 bytes. A signature that covers it is valid for this session only.
    public func nonce() throws(TPMError) -> [UInt8] {
        var output = ESYSOutput<TPM2B_DIGEST>()
        try engine.check(unsafe Esys_TRSess_GetNonceTPM(engine.esys, reference, &output.pointer), .startAuthSession)
        let nonce = try output.bytes(.startAuthSession)
        guard nonce.count == 32 else { throw TPMError(.other, "the TPM's nonce is not 32 bytes") }
        return nonce
    }

    /// `TPM2_PolicySigned` with expiration 0, bound to this session's nonce and to one command's parameters. Takes one
    /// command. TPM 2.0 Library, Part 3, section 23.3.
    ///
    /// - Parameters:
    ///   - parameterHash: the cpHash of the only command that this session may then authorize, 32 bytes.
    ///   - signature: `r ‖ s`, 64 bytes, over `nonce ‖ i32 0 ‖ parameterHash ‖ policy.reference`.
    /// - Throws: `.policyRefused` if the signature covers anything else.
    public func authorize(
        _ policy: SignedPolicy, by key: borrowing VerificationKey, parameterHash: [UInt8], signature: [UInt8]
    ) throws(TPMError) {
        // An empty cpHash would authorize every command.
        guard parameterHash.count == 32 else { throw TPMError(.policyRefused, "a parameter hash is not 32 bytes") }
        var nonce = try TPM2B_DIGEST(content: self.nonce())
        var hash = try TPM2B_DIGEST(content: parameterHash)
        var policyReference = try TPM2B_DIGEST(content: policy.reference)
        var signed = try CStructures.signature(signature)
        try engine.check(
            unsafe Esys_PolicySigned(
                engine.esys, key.reference, reference, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                &nonce, &hash, &policyReference, 0, &signed, nil, nil),
            .policySigned)
    }
}
