import CTSS2
import Cryptography

/// How often a PIN was tried in vain, and how often it may be.
public struct PINTries: Sendable, Hashable {
    public let used: UInt32
    public let limit: UInt32

    public var left: UInt32 { limit > used ? limit - used : 0 }
}

/// A PIN whose tries the TPM counts: an index of type `TPM_NT_PIN_FAIL`. Part 1, section 37.2.7, "PIN Index".
///
/// The index counts for itself, so one person's guesses never lock out another, and the right PIN sets its count to
/// zero. Owner authorization, mostly empty, can remove it and define it anew with a PIN of its own choice. That gains
/// nothing: the Name covers whether the index was written, an unwritten one authorizes nothing, and the only key that
/// could write it is gone.
extension TPMContext {
    /// Makes an index with this PIN; ten commands.
    ///
    /// - Parameters:
    ///   - pin: 1 to 32 bytes, the output of a slow function of a password; zeros at its end do not count.
    ///   - tries: how many wrong ones there may be, 1 to 1,000.
    /// - Throws: `.unsupported` where the TPM has no such index; `.ownerPasswordSet`; `.exhausted`.
    public func definePINIndex(
        pin: SecretBytes, tries: UInt32, under key: borrowing StorageKey
    ) throws(TPMError) -> PINIndexIdentity {
        guard (1...1000).contains(tries) else { throw TPMError(.other, "a PIN has 1 to 1,000 tries") }
        guard try supportsPINIndexes() else {
            throw TPMError(.unsupported, "this TPM cannot count a PIN's tries; it is older than 2016")
        }
        let writer = try OneTimeWriter()
        let session = try startHMACSession(saltedTo: key)
        let index = try define(
            NVRole.PINIndex.self, policy: writer.policy.digest(), password: NVPassword(pin), session)
        session.flush()
        var content: [UInt8] = []
        content.append(UInt32(0))
        content.append(tries)
        do {
            try writer.write(content, to: index, self, under: key)
        } catch {
            // Nobody knows of the index yet, and it is good for nothing. What went wrong first says more than this.
            try? undefine(index)
            throw error
        }
        return index.identity
    }

    /// Two commands; asks for no PIN, and takes no try. Throws `.indexReplaced`, `.ownerPasswordSet`.
    public func tries(of identity: PINIndexIdentity) throws(TPMError) -> PINTries {
        let index = try index(identity)
        var output = ESYSOutput<TPM2B_MAX_NV_BUFFER>()
        try checkOwner(
            unsafe Esys_NV_Read(
                engine.esys, ESYS_TR(ESYS_TR_RH_OWNER), index.reference, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR_NONE,
                ESYS_TR_NONE, 8, 0, &output.pointer),
            .nvRead)
        var reader = MarshalledReader(try output.bytes(.nvRead))
        let tries = PINTries(used: try reader.number32(), limit: try reader.number32())
        try reader.end()
        return tries
    }

    /// Whether the TPM's revision of the specification (1.38 or later) has PIN indexes; one command. Definition is the
    /// last word.
    public func supportsPINIndexes() throws(TPMError) -> Bool {
        try Capability.properties(from: 0x102, count: 1, engine.channel)[0x102] ?? 0 >= PINIndex.firstRevision
    }
}

extension NVIndex where Role == NVRole.PINIndex {
    /// Revision 1.38 of the specification, in hundredths.
    static var firstRevision: UInt32 { 138 }
}

extension Session where Kind == SessionKind.Policy {
    /// `TPM2_PolicySecret`: proves the PIN, which itself does not travel; it is good for this session's nonce and one
    /// command only. The TPM ends the other session. One command. Part 3, section 23.4.
    ///
    /// - Throws: `.wrongPIN`, and a try is gone; `.triesUsedUp`.
    public func authorize(
        pin: SecretBytes, of index: borrowing PINIndex, parameterHash: [UInt8], _ session: consuming HMACSession
    ) throws(TPMError) {
        guard parameterHash.count == 32 else { throw TPMError(.policyRefused, "a parameter hash is not 32 bytes") }
        try index.use(NVPassword(pin))
        try session.set(TPMA_SESSION(TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT))
        var nonce = try TPM2B_DIGEST(content: self.nonce())
        var hash = try TPM2B_DIGEST(content: parameterHash)
        var policyReference = TPM2B_DIGEST()
        let code = unsafe Esys_PolicySecret(
            engine.esys, index.reference, reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE,
            &nonce, &hash, &policyReference, 0, nil, nil)
        if code != 0, ResponseCode(code).isFromTPM {
            switch ResponseCode(code).base {
            case ResponseCode.badAuthorization, ResponseCode.authorizationFailed:
                throw TPMError(
                    .wrongPIN, "the password is not the one this vault is bound to; the TPM has counted the try",
                    responseCode: code)
            case ResponseCode.authorizationUnavailable:
                throw TPMError(
                    .triesUsedUp, "no try is left for the password this vault is bound to; use the recovery code",
                    responseCode: code)
            default: break
            }
        }
        try engine.check(code, .policySecret)
        engine.forget(session.handle)
    }
}
