import CTSS2
import Cryptography

/// How many wrong PINs were tried, and how many are allowed.
public struct PINTries: Sendable, Hashable {
    public let used: UInt32
    public let limit: UInt32

    public var left: UInt32 { limit > used ? limit - used : 0 }
}

/// A PIN whose tries the TPM counts, in an index of type `TPM_NT_PIN_FAIL`. Part 1, section 37.2.7, "PIN Index".
///
/// Each index counts by itself, so one person's guesses never lock out another. The right PIN sets the count to zero.
/// The owner's authorization, which is mostly empty, can remove the index and define it again with another PIN. That
/// gains nothing. The Name covers whether the index was written, an unwritten index authorizes nothing, and the only
/// key that could write it is gone.
extension TPMContext {
    /// Makes an index with this PIN. Takes ten commands.
    ///
    /// - Parameters:
    ///   - pin: 1 to 32 bytes, the output of a slow function of a password. Zeros at its end do not count.
    ///   - tries: how many wrong PINs are allowed, 1 to 1,000.
    /// - Throws: `.unsupported` if the TPM has no such index; `.ownerPasswordSet`; `.exhausted`.
    public func definePINIndex(
        pin: SecretBytes, tries: UInt32, under key: borrowing StorageKey
    ) throws(TPMError) -> PINIndexIdentity {
        guard (1...1000).contains(tries) else { throw TPMError(.other, "a PIN has 1 to 1,000 tries") }
        guard try supportsPINIndexes() else {
            throw TPMError(.unsupported, "this TPM is older than 2016, so it cannot count a PIN's tries")
        }
        let writer = try OneTimeWriter()
        let session = try startHMACSession(saltedTo: key)
        let index = try define(
            NVRole.PINIndex.self, policy: writer.policy.digest(), password: Password(pin), session)
        session.flush()
        var content: [UInt8] = []
        content.append(UInt32(0))
        content.append(tries)
        do {
            try writer.write(content, to: index, self, under: key)
        } catch {
            // Nothing refers to the index yet, and it is useless. The first error matters more than a failed removal.
            try? undefine(index)
            throw error
        }
        return index.identity
    }

    /// The tries used and allowed. Takes two commands. It needs no PIN and uses up no try.
    ///
    /// - Throws: `.indexReplaced`, `.ownerPasswordSet`.
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

    /// Whether the TPM's revision of the specification (1.38 or later) has PIN indexes. Takes one command. Only
    /// defining an index proves it.
    public func supportsPINIndexes() throws(TPMError) -> Bool {
        try Capability.properties(from: 0x102, count: 1, engine.channel)[0x102] ?? 0 >= PINIndex.firstRevision
    }
}

extension NVIndex where Role == NVRole.PINIndex {
    /// Revision 1.38 of the specification, in hundredths.
    static var firstRevision: UInt32 { 138 }
}

extension Session where Kind == SessionKind.Policy {
    /// `TPM2_PolicySecret`, which proves the PIN without sending it. The proof is valid only for this session's nonce
    /// and one command. The TPM ends the other session. Takes one command. Part 3, section 23.4.
    ///
    /// - Throws: `.wrongPIN`, which uses up a try; `.triesUsedUp`.
    public func authorize(
        pin: SecretBytes, of index: borrowing PINIndex, parameterHash: [UInt8], _ session: consuming HMACSession
    ) throws(TPMError) {
        guard parameterHash.count == 32 else { throw TPMError(.policyRefused, "a parameter hash is not 32 bytes") }
        try index.use(Password(pin))
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
                    .wrongPIN, "the password is not the one this vault is bound to, and the TPM has counted the try",
                    responseCode: code)
            case ResponseCode.authorizationUnavailable:
                throw TPMError(
                    .triesUsedUp, "no try is left for the password this vault is bound to",
                    advice: RecoveryAdvice.setAsideAnyway,
                    responseCode: code)
            default: break
            }
        }
        try engine.check(code, .policySecret)
        engine.forget(session.handle)
    }
}
