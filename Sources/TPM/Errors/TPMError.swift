/// Why a TPM operation failed. Two errors are equal if their codes are.
public struct TPMError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The cases that a caller may react to.
    public enum Code: String, Sendable, Equatable, CaseIterable {
        /// The TPM does not answer: no device, no permission, a lost connection, or a TPM in failure mode.
        case unavailable
        /// It is another TPM or was cleared, so the pinned storage key is gone.
        case replaced
        /// The TPM's dictionary-attack lockout is active.
        case lockout
        /// What was presented does not satisfy the object's policy.
        case policyRefused
        /// There is no room for objects, sessions or persistent keys.
        case exhausted
        /// The TPM did not answer in time.
        case deadline
        /// An object does not match its Name, its expected public area or its parent.
        case damaged
        /// The owner hierarchy has a password that this operation needs.
        case ownerPasswordSet
        /// An NV index is gone, or is not the pinned one.
        case indexReplaced
        /// The index that the keys depend on is gone, because the keys were renewed.
        case generationEnded
        /// The PIN is wrong. The TPM has counted the try.
        case wrongPIN
        /// The PIN index has no tries left.
        case triesUsedUp
        /// The measurements of this boot are not among the approved ones.
        case bootChanged
        /// The index of approved boots is gone, or is not the pinned one.
        case approvalsGone
        /// The TPM lacks a command, an algorithm or a kind of index.
        case unsupported
        /// The TPM must be asked again later, because it limits writes to its memory or tests itself.
        case busy
        /// There is no memory for a secret at the moment.
        case outOfMemory
        /// Any other error; see `responseCode`.
        case other
    }

    public var code: Code
    /// What happened, for people. It holds no secret.
    public var reason: String
    /// What to do about it, for people; empty if there is nothing to do.
    public var advice: String
    /// The raw `TSS2_RC`; 0 if there was no response code.
    public var responseCode: UInt32

    public init(_ code: Code, _ reason: String, advice: String = "", responseCode: UInt32 = 0) {
        self.code = code
        self.reason = reason
        self.advice = advice
        self.responseCode = responseCode
    }

    public static func == (left: TPMError, right: TPMError) -> Bool { left.code == right.code }

    public var description: String {
        let kind = responseCode == 0 ? code.rawValue : "\(code.rawValue) (0x\(String(responseCode, radix: 16)))"
        return "\(kind): \(reason)" + (advice.isEmpty ? "" : "; \(advice)")
    }
}

/// What helps if this TPM will never open a vault again. It must not harm if the TPM does open it: nothing is removed.
public enum RecoveryAdvice {
    public static let setAside = advice("coffer vault set-aside --user NAME")

    /// For a vault that the broker does open, but its owner cannot: without `--force` the command refuses.
    public static let setAsideAnyway = advice("coffer vault set-aside --user NAME --force")

    /// For a vault that may still be open. Setting it aside, locking it and a restart take away what it still gives. An
    /// export leaves out what is for this device only.
    public static let saveAndSetAside =
        "if the vault is still open, save what it has before it is locked and before cofferd is restarted, with coffer "
        + "export --passphrase --skip-unreadable --output FILE and coffer get; then " + setAside

    /// For a file or a registry record that may be from a backup. The TPM then has what only the newest ones need.
    public static let newestOrSetAside =
        "if the vault's file or its registry record is from a backup, have root put the newest ones back and restart "
        + "cofferd; otherwise, " + setAside

    /// If a vault's file and its registry record do not belong together. Nobody can tell which of them is the older one.
    public static let newestCopy =
        "have root put the newest copy back, of the file or of its registry record (stop cofferd.socket and "
        + "cofferd.service first), and remove nothing from the TPM"

    private static func advice(_ command: String) -> String {
        "have root set the vault aside with: \(command); then restore the secrets with: coffer recovery restore FILE"
    }
}
