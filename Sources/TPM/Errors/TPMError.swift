/// Why a TPM operation failed. Two errors are equal when their codes are.
public struct TPMError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller may act on.
    public enum Code: String, Sendable, Equatable, CaseIterable {
        /// Nobody answers: no device, no right to open it, connection lost, TPM in failure mode.
        case unavailable
        /// It is another TPM, or this one was cleared: the pinned storage key is gone.
        case replaced
        /// The TPM's dictionary-attack lockout is active.
        case lockout
        /// The TPM found that what was presented does not satisfy the object's policy.
        case policyRefused
        /// No room left for objects, sessions or persistent keys.
        case exhausted
        /// No answer in time.
        case deadline
        /// An object does not fit its Name, its expected public area or its parent.
        case damaged
        /// The owner hierarchy has a password, and what was wanted needs it.
        case ownerPasswordSet
        /// An NV index is gone, or is another one than the one that is pinned.
        case indexReplaced
        /// The index that the keys hang on is gone: they were renewed.
        case generationEnded
        /// The PIN is not the index's; the TPM has counted the try.
        case wrongPIN
        /// The PIN index has no try left.
        case triesUsedUp
        /// The measurements of this boot are none that was approved.
        case bootChanged
        /// The index of approved boots is gone, or is another one than the one that is pinned.
        case approvalsGone
        /// The TPM lacks a command, an algorithm or a kind of index.
        case unsupported
        /// The TPM wants to be asked again later: it spares its memory, or tests itself.
        case busy
        /// There is no memory for a secret just now.
        case outOfMemory
        /// Anything else; `responseCode` says what.
        case other
    }

    public var code: Code
    /// What happened and what to do, for a person. Holds no secret.
    public var reason: String
    /// The raw `TSS2_RC`, or 0 where no response code was involved.
    public var responseCode: UInt32

    public init(_ code: Code, _ reason: String, responseCode: UInt32 = 0) {
        self.code = code
        self.reason = reason
        self.responseCode = responseCode
    }

    public static func == (left: TPMError, right: TPMError) -> Bool { left.code == right.code }

    public var description: String {
        responseCode == 0
            ? "\(code.rawValue): \(reason)" : "\(code.rawValue) (0x\(String(responseCode, radix: 16))): \(reason)"
    }
}
