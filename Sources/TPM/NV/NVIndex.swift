import CTSS2
import Cryptography

/// An NV index in use. Its password stays in this value and is wiped with it.
public struct NVIndex<Role: NVRoleKind>: ~Copyable {
    let engine: Engine
    let reference: ESYS_TR
    public let identity: NVIdentity<Role>

    init(_ engine: Engine, _ reference: ESYS_TR, _ identity: NVIdentity<Role>) {
        self.engine = engine
        self.reference = reference
        self.identity = identity
    }

    deinit {
        // ESYS copies the whole structure, so zeros overwrite the password.
        var zeros = TPM2B_DIGEST()
        _ = unsafe Esys_TR_SetAuth(engine.esys, reference, &zeros)
        var reference = reference
        _ = unsafe Esys_TR_Close(engine.esys, &reference)
    }

    /// Sets the password for the commands that follow.
    func use(_ password: borrowing Password) throws(TPMError) {
        try engine.check(unsafe Esys_TR_SetAuth(engine.esys, reference, password.pointer), .nvReadPublic)
    }
}

public typealias EpochCounter = NVIndex<NVRole.EpochCounter>
public typealias PINIndex = NVIndex<NVRole.PINIndex>
public typealias PolicyIndex = NVIndex<NVRole.PolicyIndex>

extension TPMContext {
    /// The pinned index, if its whole public area is the computed one. Takes one command (`TPM2_NV_ReadPublic`).
    ///
    /// - Throws: `.indexReplaced` if there is no index, if it is another one, or if it was redefined and not written.
    public func index<Role>(_ identity: NVIdentity<Role>) throws(TPMError) -> NVIndex<Role> {
        var reference = ESYS_TR(ESYS_TR_NONE)
        let code = unsafe Esys_TR_FromTPMPublic(
            engine.esys, identity.handle.rawValue, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &reference)
        if code != 0, ResponseCode(code).isFromTPM, ResponseCode(code).base == ResponseCode.handle {
            throw TPMError.indexReplaced(identity.handle, responseCode: code)
        }
        try engine.check(code, .nvReadPublic)
        let index = NVIndex(engine, reference, identity)
        guard try name(of: reference) == identity.name() else { throw TPMError.indexReplaced(identity.handle) }
        return index
    }
}

extension TPMError {
    static func indexReplaced(_ handle: NVHandle, responseCode: UInt32 = 0) -> TPMError {
        TPMError(
            .indexReplaced,
            "the TPM's NV index \(handle) was removed or replaced", advice: RecoveryAdvice.saveAndSetAside,
            responseCode: responseCode)
    }
}
