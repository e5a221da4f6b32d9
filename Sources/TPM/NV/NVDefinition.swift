import CTSS2
import Cryptography

extension TPMContext {
    /// `TPM2_NV_DefineSpace` with the owner's empty password. The index's own password travels encrypted. Takes two
    /// commands, and keeps the session. Part 3, section 31.3.
    ///
    /// - Parameter handle: nil for the first free handle of Coffer's range that is not reserved.
    /// - Throws: `.ownerPasswordSet`; `.exhausted`; `.unsupported` if the TPM does not know this kind of index.
    func define<Role>(
        _ role: Role.Type, at handle: NVHandle? = nil, policy: [UInt8], password: borrowing Password?,
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
                .unsupported, "this TPM is older than 2016, so it has no NV index of the type needed (\(Role.self))",
                responseCode: code)
        }
        if code != 0, ResponseCode(code).isFromTPM, ResponseCode(code).base == ResponseCode.noSpaceInStorage {
            // `try?`: the number of indexes only makes the message clearer.
            throw NVRoom.exhausted(try? nvRoom(), responseCode: code)
        }
        try checkOwner(code, .nvDefineSpace)
        return NVIndex(engine, reference, identity)
    }

    /// `TPM2_NV_UndefineSpace` with the owner's empty password. The index's content, its count of tries, and everything
    /// bound to it are lost. Takes at most two commands. Does nothing if there is no index or if it is not the pinned
    /// one.
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

    /// Removes the pinned index, so that it can be made again. A power cut while it was made leaves an unwritten one,
    /// which goes too. Takes at most two commands. Does nothing if there is no index.
    ///
    /// - Throws: `.other` if another index is there. It stays, because something may depend on it.
    public func makeRoom<Role>(for identity: NVIdentity<Role>) throws(TPMError) {
        var reference = ESYS_TR(ESYS_TR_NONE)
        let code = unsafe Esys_TR_FromTPMPublic(
            engine.esys, identity.handle.rawValue, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &reference)
        if code != 0, ResponseCode(code).isFromTPM, ResponseCode(code).base == ResponseCode.handle { return }
        try engine.check(code, .nvReadPublic)
        let index = NVIndex(engine, reference, identity)
        let names = [try identity.name(), try identity.area.name()]
        let found = try name(of: reference)
        guard names.contains(found) else {
            throw TPMError(
                .other, "another NV index is at \(identity.handle), which something may depend on",
                advice: RecoveryAdvice.newestOrSetAside)
        }
        try undefine(index)
    }

    /// Whether the TPM has the pinned index. Takes one command.
    ///
    /// - Throws: any error of the TPM.
    public func has<Role>(_ identity: NVIdentity<Role>) throws(TPMError) -> Bool {
        do throws(TPMError) { _ = try index(identity) } catch {
            guard error.code == .indexReplaced else { throw error }
            return false
        }
        return true
    }

    /// Removes an index in use, even if it was not written yet. Takes one command.
    func undefine<Role>(_ index: borrowing NVIndex<Role>) throws(TPMError) {
        try checkOwner(
            unsafe Esys_NV_UndefineSpace(
                engine.esys, ESYS_TR(ESYS_TR_RH_OWNER), index.reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE,
                ESYS_TR_NONE),
            .nvUndefineSpace)
    }

    /// Translates return codes of commands that need the owner's empty password.
    func checkOwner(_ code: TSS2_RC, _ command: CommandCode) throws(TPMError) {
        let base = ResponseCode(code).base
        if code != 0, ResponseCode(code).isFromTPM,
            base == ResponseCode.badAuthorization || base == ResponseCode.authorizationFailed
        {
            throw TPMError(
                .ownerPasswordSet,
                "the TPM's owner password is set, so Coffer can make no key or index",
                advice:
                    "take that password away while you make it (tpm2_changeauth -c owner -p PASSWORD), "
                    + "and set it again afterwards (tpm2_changeauth -c owner PASSWORD)",
                responseCode: code)
        }
        try engine.check(code, command)
    }
}
