import CTSS2
import Cryptography

extension TPMContext {
    /// Makes a P-256 key that never leaves the TPM, for ECDSA with SHA-256. Its password travels encrypted. Takes one
    /// command; rarely more.
    ///
    /// - Parameter password: 1 to 32 bytes. Zeros at its end do not count.
    public func makeSigningKey(
        _ kind: ExpectedObject.Kind, password: SecretBytes, under parent: borrowing StorageKey,
        session: borrowing HMACSession
    ) throws(TPMError) -> StoredObject {
        let template = try kind.template()
        guard template.shape == .signatureKey else { throw TPMError(.other, "only a key for signatures can sign") }
        let password = try Password(password)
        return try createKey(template, parent, session) { sensitive in
            unsafe sensitive.sensitive.userAuth = password.pointer.pointee
        }
    }

    /// Checks a signing key, then loads it. Takes one command.
    ///
    /// - Throws: `.damaged` for an unexpected object, before the TPM sees it.
    public func loadSigningKey(
        _ object: StoredObject, _ expected: ExpectedObject, under parent: borrowing StorageKey
    ) throws(TPMError) -> SigningKey {
        guard try expected.checked(object.publicArea).shape == .signatureKey else {
            throw TPMError(.damaged, "a stored TPM object is something else where a signing key should be")
        }
        return try SigningKey(engine, load(object, parent), .load)
    }
}

extension ExpectedObject {
    /// A signing key of this kind with this public point, 65 bytes.
    ///
    /// - Throws: `.damaged` for another length.
    public init(signingKey kind: Kind, point: [UInt8]) throws(TPMError) {
        let (x, y) = try CommandParameterHash.coordinates(of: point)
        var area = try kind.template()
        area.unique = [x, y]
        self.init(name: try area.name(), kind: kind)
    }
}

extension LoadedObject where Role == HandleRole.SigningKey {
    /// `TPM2_Sign` of a digest of 32 bytes with the key's own scheme. The session proves the password, which does not
    /// travel, and a policy session its policy too. The TPM ends the session. Takes one command. TPM 2.0 Library,
    /// Part 3, section 20.2.
    ///
    /// - Returns: `r ‖ s`, 64 bytes.
    /// - Throws: `.policyRefused`, also for a wrong password.
    public func sign<Kind>(
        _ digest: [UInt8], password: SecretBytes, _ session: consuming Session<Kind>
    ) throws(TPMError) -> [UInt8] {
        var input = try TPM2B_DIGEST(content: CommandParameterHash.checked(digest: digest))
        var scheme = TPMT_SIG_SCHEME()
        scheme.scheme = TPM2_ALG_NULL
        var ticket = TPMT_TK_HASHCHECK()
        ticket.tag = TPM2_ST(TPM2_ST_HASHCHECK)
        ticket.hierarchy = TPM2_RH(TPM2_RH_NULL)
        // The digest is public, and encrypting it would change the signed parameter hash.
        try session.set(0)
        try use(Password(password))
        // ESYS copies the whole structure, so zeros overwrite the password.
        defer { forgetPassword() }
        var output = ESYSOutput<TPMT_SIGNATURE>()
        try engine.check(
            unsafe Esys_Sign(
                engine.esys, reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE, &input, &scheme, &ticket,
                &output.pointer),
            .sign)
        engine.forget(session.handle)
        return try unsafe output.value(.sign) { (pointer: UnsafePointer<TPMT_SIGNATURE>) throws(TPMError) in
            try unsafe CStructures.bytes(pointer)
        }
    }

    private func use(_ password: borrowing Password) throws(TPMError) {
        try engine.check(unsafe Esys_TR_SetAuth(engine.esys, reference, password.pointer), .load)
    }

    private func forgetPassword() {
        var zeros = TPM2B_DIGEST()
        _ = unsafe Esys_TR_SetAuth(engine.esys, reference, &zeros)
    }
}
