import CTSS2

extension Session where Kind == SessionKind.Policy {
    /// `TPM2_PolicyPCR`, which shows that the registers have these values now. Takes one command. Part 3, section 23.7.
    ///
    /// - Throws: `.bootChanged` if they have other values. The session does not change then.
    public func measure(_ state: PCRState) throws(TPMError) {
        var parameters: [UInt8] = []
        parameters.append(handle)
        parameters.append(sized: state.digest)
        do {
            _ = try engine.channel.exchange(.policyPCR, parameters + state.selection.marshalled)
        } catch {
            guard ResponseCode(error.responseCode).base == ResponseCode.value else { throw error }
            throw TPMError(
                .bootChanged, "the machine was not started as it was at the approval (PCR \(state.selection))",
                responseCode: error.responseCode)
        }
    }

    /// `TPM2_PolicyOR`, which shows that the steps before gave one of these digests. Takes one command. Part 3, section
    /// 23.6.
    func choose(_ digests: [[UInt8]]) throws(TPMError) {
        var parameters: [UInt8] = []
        parameters.append(handle)
        parameters.append(UInt32(digests.count))
        for digest in digests { parameters.append(sized: digest) }
        _ = try engine.channel.exchange(.policyOr, parameters)
    }

    /// Shows that this boot is approved, as the first step of a policy that begins with `.approved`. Takes at most two
    /// commands more than there are boots.
    ///
    /// - Throws: `.bootChanged` if this boot is not in the list; `.policyRefused` if the index holds another list by
    ///   now.
    public func approve(_ boots: ApprovedBoots, by index: borrowing PolicyIndex) throws(TPMError) {
        try measureOne(of: boots)
        if boots.alternatives.count > 1 { try choose(boots.digests()) }
        let code = unsafe Esys_PolicyAuthorizeNV(
            engine.esys, index.reference, index.reference, reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE,
            ESYS_TR_NONE)
        if code != 0, ResponseCode(code).isFromTPM, ResponseCode(code).base == ResponseCode.value {
            throw TPMError(
                .policyRefused, "the TPM now keeps another list of approved boots",
                responseCode: code)
        }
        try engine.check(code, .policyAuthorizeNV)
    }

    private func measureOne(of boots: ApprovedBoots) throws(TPMError) {
        var last = TPMError(.bootChanged, "no boot is approved")
        for state in boots.alternatives {
            do {
                return try measure(state)
            } catch {
                guard error.code == .bootChanged else { throw error }
                last = error
            }
        }
        throw last
    }

    /// `TPM2_PolicyGetDigest`, the digest that the TPM has computed so far, for comparison. Takes one command. Part 3,
    /// section 23.15.
    func digest() throws(TPMError) -> [UInt8] {
        var parameters: [UInt8] = []
        parameters.append(handle)
        var reader = MarshalledReader(try engine.channel.exchange(.policyDigest, parameters))
        let digest = try reader.sized()
        try reader.end()
        return digest
    }
}
