import CTSS2

/// A session salted to the storage key, with AES-128-CFB for parameters. It is flushed when this value goes, unless the
/// TPM ended it together with its command. TPM 2.0 Library, Part 1, sections 19 and 21.
public struct Session<Kind>: ~Copyable {
    let engine: Engine
    let reference: ESYS_TR
    let handle: UInt32

    init(_ engine: Engine, _ reference: ESYS_TR) throws(TPMError) {
        handle = try engine.adopt(reference, .startAuthSession)
        self.engine = engine
        self.reference = reference
    }

    deinit { engine.flush(handle) }

    /// Sets how the next command uses this session. Without `CONTINUESESSION`, the TPM ends the session after that
    /// command.
    func set(_ attributes: TPMA_SESSION) throws(TPMError) {
        let mask = TPMA_SESSION(TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_ENCRYPT | TPMA_SESSION_DECRYPT)
        try engine.check(unsafe Esys_TRSess_SetAttributes(engine.esys, reference, attributes, mask), .startAuthSession)
    }

    /// From now on, the session's digest covers each command that it comes with. Part 1, "Audit Session".
    func audit() throws(TPMError) {
        let attributes = TPMA_SESSION(TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_AUDIT)
        try engine.check(
            unsafe Esys_TRSess_SetAttributes(engine.esys, reference, attributes, 0xFF), .startAuthSession)
    }

    /// Ends the session if it still exists.
    public consuming func flush() {}
}

public enum SessionKind {
    public enum HMAC {}
    public enum Policy {}
}

public typealias HMACSession = Session<SessionKind.HMAC>
public typealias PolicySession = Session<SessionKind.Policy>

extension TPMContext {
    /// Starts a session that authorizes with the object's (empty) password and encrypts parameters. Takes one command.
    public func startHMACSession(saltedTo key: borrowing StorageKey) throws(TPMError) -> HMACSession {
        try HMACSession(engine, start(TPM2_SE(TPM2_SE_HMAC), key.reference))
    }

    /// Starts a session that authorizes by policy and encrypts parameters. Takes one command.
    public func startPolicySession(saltedTo key: borrowing StorageKey) throws(TPMError) -> PolicySession {
        try PolicySession(engine, start(TPM2_SE(TPM2_SE_POLICY), key.reference))
    }

    func start(_ type: TPM2_SE, _ key: ESYS_TR) throws(TPMError) -> ESYS_TR {
        var cipher = CStructures.parameterCipher()
        var reference = ESYS_TR(ESYS_TR_NONE)
        try engine.check(
            unsafe Esys_StartAuthSession(
                engine.esys, key, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                nil, type, &cipher, TPM2_ALG_SHA256, &reference),
            .startAuthSession)
        return reference
    }
}
