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
        let made = try makeCounter(password: password, under: key)
        return (made.identity, made.value)
    }

    /// As ``defineCounter(password:under:)``, with what spares the command that asks for the index's public area.
    ///
    /// - Parameter handle: where it is to be, for one that is made again; nil for the first that is free.
    public func makeCounter(
        password: SecretBytes, at handle: NVHandle? = nil, under key: borrowing StorageKey
    ) throws(TPMError) -> MadeCounter {
        let session = try startHMACSession(saltedTo: key)
        let counter = try define(
            NVRole.EpochCounter.self, at: handle, policy: [], password: NVPassword(password), session)
        do {
            try counter.use(NVPassword(password))
            try counter.count(session, continues: true)
            let value = try counter.read(session)
            return MadeCounter(identity: counter.identity, context: try serialized(counter.reference), value: value)
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
        try counter.count(session, continues: true)
        return try counter.read(session)
    }

    /// The pinned counter; no command as long as TSS reads its own pin, else one. Whether the TPM has this very index shows when it is used: the Name
    /// is part of what is authenticated.
    ///
    /// - Throws: `.indexReplaced` where the pin is another index's.
    public func counter(
        _ identity: EpochCounterIdentity, context: [UInt8], password: SecretBytes
    ) throws(TPMError) -> EpochCounter {
        var reference = ESYS_TR(ESYS_TR_NONE)
        let code = unsafe Esys_TR_Deserialize(engine.esys, context, context.count, &reference)
        guard code == 0 else {
            // Another version of TSS may have another form: then the TPM is asked, and what it says is compared.
            let counter = try index(identity)
            try counter.use(NVPassword(password))
            return counter
        }
        let counter = EpochCounter(engine, reference, identity)
        guard try name(of: reference) == identity.name(), try handle(of: reference) == identity.handle.rawValue else {
            throw TPMError.indexReplaced(identity.handle)
        }
        try counter.use(NVPassword(password))
        return counter
    }

    private func serialized(_ reference: ESYS_TR) throws(TPMError) -> [UInt8] {
        var output = ESYSOutput<UInt8>()
        var size = 0
        try engine.check(unsafe Esys_TR_Serialize(engine.esys, reference, &output.pointer, &size), .nvReadPublic)
        return try unsafe output.value(.nvReadPublic) { (pointer: UnsafePointer<UInt8>) throws(TPMError) in
            unsafe [UInt8](UnsafeBufferPointer(start: pointer, count: size))
        }
    }
}

/// A counter that was just made.
public struct MadeCounter: Sendable {
    public let identity: EpochCounterIdentity
    /// `Esys_TR_Serialize`: handle, Name and public area in TSS's own form.
    public let context: [UInt8]
    public let value: UInt64
}

extension NVIndex where Role == NVRole.EpochCounter {
    /// One command, which ends the session.
    public func value(_ session: consuming HMACSession) throws(TPMError) -> UInt64 { try read(session) }

    /// Brings the counter to a value: reads, and counts where it is less; a command for each step and one to read. Who asks twice, because the first
    /// answer was lost, counts once.
    ///
    /// - Parameter most: so many steps, and no more.
    /// - Returns: where it stands: the value, or what makes it impossible, more than the value or too little.
    public func count(
        to wanted: UInt64, most: UInt64, _ session: consuming HMACSession
    ) throws(TPMError) -> UInt64 {
        let found = try read(session, continues: true)
        guard found < wanted, wanted - found <= most else { return found }
        for _ in found..<wanted { try count(session, continues: true) }
        return wanted
    }

    fileprivate func count(_ session: borrowing HMACSession, continues: Bool) throws(TPMError) {
        try session.set(continues ? TPMA_SESSION(TPMA_SESSION_CONTINUESESSION) : 0)
        try check(
            unsafe Esys_NV_Increment(
                engine.esys, reference, reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE),
            .nvIncrement)
    }

    /// Ends the session.
    fileprivate func read(_ session: consuming HMACSession) throws(TPMError) -> UInt64 {
        let value = try read(session, continues: false)
        engine.forget(session.handle)
        return value
    }

    private func read(_ session: borrowing HMACSession, continues: Bool) throws(TPMError) -> UInt64 {
        try session.set(TPMA_SESSION(TPMA_SESSION_ENCRYPT | (continues ? TPMA_SESSION_CONTINUESESSION : 0)))
        var output = ESYSOutput<TPM2B_MAX_NV_BUFFER>()
        try check(
            unsafe Esys_NV_Read(
                engine.esys, reference, reference, session.reference, ESYS_TR_NONE, ESYS_TR_NONE, 8, 0,
                &output.pointer),
            .nvRead)
        let bytes = try output.bytes(.nvRead)
        guard bytes.count == 8 else { throw TPMError(.other, "the TPM's counter is not eight bytes") }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// No index, one that was not written, one with other rights, or another password than ours: somebody removed it, or made another.
    private func check(_ code: TSS2_RC, _ command: CommandCode) throws(TPMError) {
        let others = [
            ResponseCode.badAuthorization, ResponseCode.authorizationFailed, ResponseCode.handle,
            ResponseCode.unwritten, ResponseCode.notAuthorizedForNV, ResponseCode.authorizationType,
            ResponseCode.authorizationUnavailable,
        ]
        if code != 0, ResponseCode(code).isFromTPM, others.contains(ResponseCode(code).base) {
            throw TPMError.indexReplaced(identity.handle, responseCode: code)
        }
        try engine.check(code, command)
    }
}
