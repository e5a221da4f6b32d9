import CTSS2

extension Session where Kind == SessionKind.Policy {
    /// `TPM2_PolicyAuthValue`. From now on, the session's HMAC must prove the object's password. ESYS must send it, so
    /// that it computes with the password. Takes one command. Part 3, section 23.17.
    public func requirePassword() throws(TPMError) {
        try engine.check(
            unsafe Esys_PolicyAuthValue(engine.esys, reference, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE),
            .policyAuthValue)
    }
}
