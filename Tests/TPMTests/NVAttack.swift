import CTSS2
import Cryptography

@testable import TPM

/// What an attacker does who passes the checks that would have stopped them.
extension TPMContext {
    /// Any index at this handle.
    func unwritten<Role>(_ identity: NVIdentity<Role>) throws(TPMError) -> NVIndex<Role> {
        var reference = ESYS_TR(ESYS_TR_NONE)
        try engine.check(
            unsafe Esys_TR_FromTPMPublic(
                engine.esys, identity.handle.rawValue, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &reference),
            .nvReadPublic)
        return NVIndex(engine, reference, identity)
    }

    /// The TPM's answer to a definition under the owner's empty password.
    func defineRaw(_ area: NVPublicArea, password: [UInt8] = []) throws(TPMError) -> TSS2_RC {
        var area = try CStructures.nvPublicArea(area)
        var password = try TPM2B_DIGEST(content: password)
        var reference = ESYS_TR(ESYS_TR_NONE)
        return unsafe Esys_NV_DefineSpace(
            engine.esys, ESYS_TR(ESYS_TR_RH_OWNER), ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE, ESYS_TR_NONE,
            &password, &area, &reference)
    }
}

extension NVHandle {
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(rawValue)
        return bytes
    }
}

/// TPM commands that only tests use.
extension TPMContext {
    /// A session that computes a policy and authorizes nothing.
    func startTrialSession(saltedTo key: borrowing StorageKey) throws(TPMError) -> PolicySession {
        try PolicySession(engine, start(TPM2_SE(TPM2_SE_TRIAL), key.reference))
    }

    /// `TPM2_PCR_Extend` in the SHA-256 bank.
    func extend(_ register: UInt32, _ digest: [UInt8]) throws(TPMError) {
        var values = TPML_DIGEST_VALUES()
        values.count = 1
        values.digests.0.hashAlg = TPM2_ALG_SHA256
        unsafe withUnsafeMutableBytes(of: &values.digests.0.digest) { unsafe $0.copyBytes(from: digest) }
        try engine.check(
            unsafe Esys_PCR_Extend(
                engine.esys, register, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE, ESYS_TR_NONE, &values),
            .policyPCR)
    }
}

extension Rig {
    func sealHere(_ context: borrowing TPMContext, _ key: borrowing StorageKey, _ policy: Policy) throws
        -> (StoredObject, ExpectedObject)
    {
        let session = try context.startHMACSession(saltedTo: key)
        let object = try context.seal(SecretBytes.random(count: 8), .guardedData(policy), under: key, session: session)
        let name = try PublicArea(marshalled: object.publicArea).name()
        return (object, ExpectedObject(name: name, kind: .guardedData(policy)))
    }
}
