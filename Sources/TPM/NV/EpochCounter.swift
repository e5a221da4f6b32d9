import CTSS2
import Cryptography

/// A counter that only goes up, for noticing that an older copy of a file was put back. TPM 2.0 Library, Part 1, "NV
/// Counters".
///
/// The TPM starts a new counter above the highest value that any counter of it ever had, so that removing and defining
/// it again cannot set it back. Its password is a key that whoever redefines it does not have: every answer is
/// authenticated with it.
extension TPMContext {
    /// Defines a counter and counts it once, which makes it readable; five commands.
    ///
    /// - Parameter password: 1 to 32 bytes, derived from a key that the TPM guards; never empty.
    /// - Returns: what to pin, and the counter's first value.
    /// - Throws: `.ownerPasswordSet`, `.exhausted`.
    public func defineCounter(
        password: SecretBytes, under key: borrowing StorageKey
    ) throws(TPMError) -> (EpochCounterIdentity, UInt64) {
        let session = try startHMACSession(saltedTo: key)
        let counter = try define(NVRole.EpochCounter.self, policy: [], password: NVPassword(password), session)
        do {
            try counter.use(NVPassword(password))
            try counter.count(session)
            return (counter.identity, try counter.read(session))
        } catch {
            // Nobody knows of the index yet: it must not stay behind. What went wrong first says more than this.
            try? undefine(counter)
            throw error
        }
    }

    /// The counter's value; three commands.
    ///
    /// - Throws: `.indexReplaced`, also for one whose password is another.
    public func readCounter(
        _ identity: EpochCounterIdentity, password: SecretBytes, under key: borrowing StorageKey
    ) throws(TPMError) -> UInt64 {
        let counter = try index(identity)
        try counter.use(NVPassword(password))
        return try counter.read(startHMACSession(saltedTo: key))
    }

    /// Counts once and returns the new value; four commands. After an error the counter may or may not have moved: read it.
    ///
    /// - Throws: `.indexReplaced` as above; `.busy` where the TPM spares its memory.
    public func incrementCounter(
        _ identity: EpochCounterIdentity, password: SecretBytes, under key: borrowing StorageKey
    ) throws(TPMError) -> UInt64 {
        let counter = try index(identity)
        try counter.use(NVPassword(password))
        let session = try startHMACSession(saltedTo: key)
        try counter.count(session)
        return try counter.read(session)
    }
}

extension NVIndex where Role == NVRole.EpochCounter {
    fileprivate func count(_ session: borrowing HMACSession) throws(TPMError) {
        try session.set(TPMA_SESSION(TPMA_SESSION_CONTINUESESSION))
        try check(
            unsafe Esys_NV_Increment(
                engine.esys, reference, reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE),
            .nvIncrement)
    }

    /// Ends the session.
    fileprivate func read(_ session: consuming HMACSession) throws(TPMError) -> UInt64 {
        try session.set(TPMA_SESSION(TPMA_SESSION_ENCRYPT))
        var output = ESYSOutput<TPM2B_MAX_NV_BUFFER>()
        try check(
            unsafe Esys_NV_Read(
                engine.esys, reference, reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE, 8, 0,
                &output.pointer),
            .nvRead)
        engine.forget(session.handle)
        let bytes = try output.bytes(.nvRead)
        guard bytes.count == 8 else { throw TPMError(.other, "the TPM's counter is not eight bytes") }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Another password than ours: the index was made by somebody else.
    private func check(_ code: TSS2_RC, _ command: CommandCode) throws(TPMError) {
        let base = ResponseCode(code).base
        if code != 0, ResponseCode(code).isFromTPM,
            base == ResponseCode.badAuthorization || base == ResponseCode.authorizationFailed
        {
            throw TPMError.indexReplaced(identity.handle, responseCode: code)
        }
        try engine.check(code, command)
    }
}
