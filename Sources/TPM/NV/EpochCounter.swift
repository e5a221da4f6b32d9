import CTSS2
import Cryptography

/// A counter that only goes up, for noticing that a file was replaced with an older copy. TPM 2.0 Library, Part 1, "NV
/// Counters".
///
/// The TPM starts a new counter above the highest value that any of its counters ever had. So removing the counter and
/// defining it again cannot set it back. Its password is a derived key, which an attacker who redefines the counter
/// does not have. That key authenticates every answer.
extension TPMContext {
    /// Defines a counter and increments it once, which makes it readable. Takes five commands.
    ///
    /// - Parameter password: 1 to 32 bytes, derived from a key that the TPM guards; never empty.
    /// - Returns: the identity to pin, and the counter's first value.
    /// - Throws: `.ownerPasswordSet`, `.exhausted`.
    public func defineCounter(
        password: SecretBytes, under key: borrowing StorageKey
    ) throws(TPMError) -> (EpochCounterIdentity, UInt64) {
        let made = try makeCounter(password: password, under: key)
        return (made.identity, made.value)
    }

    /// As ``defineCounter(password:under:)``. Also returns the serialized form, which saves reading the index's public
    /// area later.
    ///
    /// - Parameter handle: the place of a counter that is made again; nil for the first free handle.
    public func makeCounter(
        password: SecretBytes, at handle: NVHandle? = nil, under key: borrowing StorageKey
    ) throws(TPMError) -> MadeCounter {
        let session = try startHMACSession(saltedTo: key)
        let counter = try define(
            NVRole.EpochCounter.self, at: handle, policy: [], password: Password(password), session)
        do {
            try counter.use(Password(password))
            try counter.count(session, continues: true)
            let value = try counter.read(session)
            return MadeCounter(identity: counter.identity, context: try serialized(counter.reference), value: value)
        } catch {
            // Nothing refers to the index yet, so it must not stay. The first error matters more than a failed removal.
            try? undefine(counter)
            throw error
        }
    }

    /// The counter's value. Takes three commands.
    ///
    /// - Throws: `.indexReplaced`, also if the index has another password.
    public func readCounter(
        _ identity: EpochCounterIdentity, password: SecretBytes, under key: borrowing StorageKey
    ) throws(TPMError) -> UInt64 {
        let counter = try index(identity)
        try counter.use(Password(password))
        return try counter.read(startHMACSession(saltedTo: key))
    }

    /// Increments the counter once and returns the new value. Takes four commands. After an error the counter may or
    /// may not have moved, so read it.
    ///
    /// - Throws: `.indexReplaced`, also if the index has another password; `.busy` if the TPM limits its writes.
    public func incrementCounter(
        _ identity: EpochCounterIdentity, password: SecretBytes, under key: borrowing StorageKey
    ) throws(TPMError) -> UInt64 {
        let counter = try index(identity)
        try counter.use(Password(password))
        let session = try startHMACSession(saltedTo: key)
        try counter.count(session, continues: true)
        return try counter.read(session)
    }

    /// The pinned counter. Takes no command if TSS can read its serialized form, otherwise one. Using the counter shows
    /// whether the TPM has this very index, because the Name is part of what is authenticated.
    ///
    /// - Throws: `.indexReplaced` if the pin is another index's.
    public func counter(
        _ identity: EpochCounterIdentity, context: [UInt8], password: SecretBytes
    ) throws(TPMError) -> EpochCounter {
        var reference = ESYS_TR(ESYS_TR_NONE)
        let code = unsafe Esys_TR_Deserialize(engine.esys, context, context.count, &reference)
        guard code == 0 else {
            // Another version of TSS may have another form. Then the TPM is asked, and its answer compared.
            let counter = try index(identity)
            try counter.use(Password(password))
            return counter
        }
        let counter = EpochCounter(engine, reference, identity)
        guard try name(of: reference) == identity.name(), try handle(of: reference) == identity.handle.rawValue else {
            throw TPMError.indexReplaced(identity.handle)
        }
        try counter.use(Password(password))
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

/// A counter that was just defined.
public struct MadeCounter: Sendable {
    public let identity: EpochCounterIdentity
    /// The output of `Esys_TR_Serialize`: handle, Name and public area in TSS's own form.
    public let context: [UInt8]
    public let value: UInt64
}

extension NVIndex where Role == NVRole.EpochCounter {
    /// Takes one command, which ends the session.
    public func value(_ session: consuming HMACSession) throws(TPMError) -> UInt64 { try read(session) }

    /// Brings the counter to a value. It reads the counter, and increments it while it is lower. That takes one command
    /// to read and one for each step. A repeated call, after a lost answer, does not count again.
    ///
    /// - Parameter most: the largest number of steps to take.
    /// - Returns: the wanted value if it was reached. Otherwise the counter's present value, which is already higher or
    ///   too low.
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

    /// Reports that somebody removed or replaced the index. The signs are: no index, an unwritten one, other rights, or
    /// another password.
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
