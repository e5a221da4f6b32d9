import CTSS2
import Cryptography

/// The index that the keys of one generation depend on. It is an ordinary index; only its existence matters. Once it is
/// removed, no policy that names it can ever be met again. An index made in its place is unwritten, so it has another
/// Name, and the only key that could write it is gone. Part 1, section 16, "Names".
extension TPMContext {
    /// Makes an index for a new generation. Takes nine commands.
    ///
    /// - Throws: `.ownerPasswordSet`, `.exhausted`.
    public func defineGeneration(under key: borrowing StorageKey) throws(TPMError) -> GenerationIdentity {
        let writer = try OneTimeWriter()
        let session = try startHMACSession(saltedTo: key)
        let index = try define(NVRole.Generation.self, policy: writer.policy.digest(), password: nil, session)
        session.flush()
        do {
            try writer.write(
                [UInt8](repeating: 0, count: Int(NVRole.Generation.size)), to: index, self, under: key)
        } catch {
            // Nothing refers to the index yet, and it is useless. The first error matters more than a failed removal.
            try? undefine(index)
            throw error
        }
        return index.identity
    }
}

extension Session where Kind == SessionKind.Policy {
    /// `TPM2_PolicySecret` with the index's empty password. It shows that the generation has not ended. The TPM takes
    /// the Name of the index that is there, so another index in its place gives another policy digest. Takes one
    /// command, without ESYS, which would read the index first. Part 3, section 23.4.
    ///
    /// - Throws: `.generationEnded` if there is no such index.
    public func show(_ generation: GenerationIdentity) throws(TPMError) {
        var parameters: [UInt8] = []
        // nonceTPM, cpHashA and policyRef are empty. The step before has bound the session to its nonce and to one
        // command. There is no expiration.
        for _ in 0..<3 { parameters.append(UInt16(0)) }
        parameters.append(UInt32(0))
        do throws(TPMError) {
            _ = try engine.channel.exchange(
                .policySecret, handles: [generation.handle.rawValue, handle], parameters)
        } catch {
            let base = ResponseCode(error.responseCode).base
            guard
                base == ResponseCode.handle || base == ResponseCode.authorizationFailed
                    || base == ResponseCode.badAuthorization || base == ResponseCode.authorizationUnavailable
                    || base == ResponseCode.authorizationType || base == ResponseCode.unwritten
            else { throw error }
            throw TPMError(
                .generationEnded,
                "the TPM no longer has the index that these keys depend on: the copy is from before the keys were renewed, or the index was removed",
                advice:
                    "if the vault's file and its registry record are from a backup, have root put the newest ones back; "
                    + "otherwise, \(RecoveryAdvice.saveAndSetAside)",
                responseCode: error.responseCode)
        }
    }
}

extension Channel {
    /// Sends one command whose first handle is authorized with an empty password.
    func exchange(_ code: CommandCode, handles: [UInt32], _ parameters: [UInt8]) throws(TPMError) -> [UInt8] {
        var body: [UInt8] = []
        for handle in handles { body.append(handle) }
        var authorization: [UInt8] = []
        authorization.append(UInt32(0x4000_0009))  // TPM_RS_PW
        authorization.append(UInt16(0))
        authorization.append(0 as UInt8)
        authorization.append(UInt16(0))
        body.append(UInt32(authorization.count))
        body += authorization + parameters
        var bytes: [UInt8] = []
        bytes.append(UInt16(0x8002))  // TPM_ST_SESSIONS
        bytes.append(UInt32(Self.headerSize + body.count))
        bytes.append(code.rawValue)
        try send(bytes + body)
        let answer = try receive()
        try ResponseGate.check(answer[6..<10].reduce(0) { $0 << 8 | UInt32($1) }, code)
        return [UInt8](answer[Self.headerSize...])
    }
}
