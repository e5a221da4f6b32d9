import CTSS2
import Cryptography

extension TPMContext {
    /// `TPM2_NV_DefineSpace` under the owner's empty password, at the first free handle of ours; the index's own
    /// password travels encrypted. Two commands; the session goes on. Part 3, section 31.3.
    ///
    /// - Parameter handle: another place than the first free one.
    /// - Throws: `.ownerPasswordSet`; `.exhausted`; `.unsupported` where the TPM knows no such index.
    func define<Role>(
        _ role: Role.Type, at handle: NVHandle? = nil, policy: [UInt8], password: borrowing NVPassword?,
        _ session: borrowing HMACSession
    ) throws(TPMError) -> NVIndex<Role> {
        let place: NVHandle
        if let handle { place = handle } else { place = try freeNVHandle() }
        let identity = try NVIdentity<Role>(handle: place, policy: policy)
        var area = try CStructures.nvPublicArea(identity.area)
        var none = TPM2B_DIGEST()
        var reference = ESYS_TR(ESYS_TR_NONE)
        try session.set(TPMA_SESSION(TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_DECRYPT))
        let code: TSS2_RC
        switch password {
        case .some(let password):
            code = unsafe Esys_NV_DefineSpace(
                engine.esys, ESYS_TR(ESYS_TR_RH_OWNER), session.reference, ESYS_TR_NONE, ESYS_TR_NONE,
                password.pointer, &area, &reference)
        case .none:
            code = unsafe Esys_NV_DefineSpace(
                engine.esys, ESYS_TR(ESYS_TR_RH_OWNER), session.reference, ESYS_TR_NONE, ESYS_TR_NONE,
                &none, &area, &reference)
        }
        if code != 0, ResponseCode(code).isFromTPM, ResponseCode(code).base == ResponseCode.attributes {
            throw TPMError(
                .unsupported, "this TPM has no NV index of the type needed (\(Role.self)); it is older than 2016",
                responseCode: code)
        }
        try checkOwner(code, .nvDefineSpace)
        return NVIndex(engine, reference, identity)
    }

    /// `TPM2_NV_UndefineSpace` under the owner's empty password; with it go the index's content, its count of tries,
    /// and what was bound to it. At most two commands. An index that is another one than ours is left alone, and none
    /// at all is no error.
    public func undefine<Role>(_ identity: NVIdentity<Role>) throws(TPMError) {
        let index: NVIndex<Role>
        do {
            index = try self.index(identity)
        } catch {
            if error.code == .indexReplaced { return }
            throw error
        }
        try undefine(index)
    }

    /// Removes whatever is at a handle of ours: an index of which no record knows, as a power cut between making and
    /// recording one leaves it. Two commands. Throws `.indexReplaced` where there is none.
    public func removeIndex(at handle: NVHandle) throws(TPMError) {
        var reference = ESYS_TR(ESYS_TR_NONE)
        let code = unsafe Esys_TR_FromTPMPublic(
            engine.esys, handle.rawValue, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &reference)
        if code != 0, ResponseCode(code).isFromTPM, ResponseCode(code).base == ResponseCode.handle {
            throw TPMError.indexReplaced(handle, responseCode: code)
        }
        try engine.check(code, .nvReadPublic)
        // The kind does not matter to what removes it.
        try undefine(NVIndex(engine, reference, EpochCounterIdentity(handle: handle)))
    }

    /// The same for an index in use, also where it was not written yet; one command.
    func undefine<Role>(_ index: borrowing NVIndex<Role>) throws(TPMError) {
        try checkOwner(
            unsafe Esys_NV_UndefineSpace(
                engine.esys, ESYS_TR(ESYS_TR_RH_OWNER), index.reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE,
                ESYS_TR_NONE),
            .nvUndefineSpace)
    }

    /// The gate for what the owner authorizes with an empty password.
    func checkOwner(_ code: TSS2_RC, _ command: CommandCode) throws(TPMError) {
        let base = ResponseCode(code).base
        if code != 0, ResponseCode(code).isFromTPM,
            base == ResponseCode.badAuthorization || base == ResponseCode.authorizationFailed
        {
            throw TPMError(
                .ownerPasswordSet,
                "the TPM's owner password is set, so Coffer can make no key or index; clear it (tpm2_changeauth -c owner -p OLD)",
                responseCode: code)
        }
        try engine.check(code, command)
    }
}
