/// Why a keychain operation failed.
public struct KeychainError: Error, Sendable, Equatable {
    /// The kind of failure, stable across versions.
    public let code: Code
    /// What happened, in words for a person. It never holds a secret.
    public let message: String
    /// What to do about it, in words for a person; empty if there is nothing to do.
    public let advice: String
    /// The accounts to choose from, for `.ambiguous`.
    public let accounts: [String]
    /// The TPM's own response code; 0 if there is none.
    public let tpmCode: Int64
    /// The error below this one, as a word and its own number (`errno 28`); nil if there is none of use.
    public let cause: String?

    public init(
        _ code: Code, _ message: String, advice: String = "", accounts: [String] = [], tpmCode: Int64 = 0,
        cause: String? = nil
    ) {
        self.code = code
        self.message = message
        self.advice = advice
        self.accounts = accounts
        self.tpmCode = tpmCode
        self.cause = cause
    }

    /// Errors are equal if their codes are, because messages are for people only.
    public static func == (left: KeychainError, right: KeychainError) -> Bool { left.code == right.code }
}

extension KeychainError: CustomStringConvertible {
    /// What happened and what to do, on one line.
    public var description: String { advice.isEmpty ? message : "\(message); \(advice)" }
}

extension KeychainError {
    /// The kinds of failure. The raw values are part of the machine-readable output and never change.
    public enum Code: String, Sendable, CaseIterable {
        case notFound = "not-found"
        case ambiguous
        case alreadyExists = "already-exists"
        /// The item is not in the state that the call named: it was changed or deleted since.
        case changedMeanwhile = "changed-meanwhile"
        case locked
        case notPermitted = "not-permitted"
        case damaged
        /// The value is not UTF-8, so it is not text.
        case notText = "not-text"
        /// The value is not of the type that was asked for.
        case notDecodable = "not-decodable"

        /// A person is needed, and nobody can be asked.
        case authenticationNeeded = "authentication-needed"
        /// The item takes an application password, and none was given.
        case applicationPasswordNeeded = "application-password-needed"
        /// The application password was wrong, or the item is damaged; the two cannot be told apart.
        case applicationPasswordRefused = "application-password-refused"
        /// The answer was wrong.
        case wrongPassword = "wrong-password"
        /// The vault is bound to another password than the login's.
        case boundPassword = "bound-password"
        case accountExpired = "account-expired"
        case accountDenied = "account-denied"
        case tooManyTries = "too-many-tries"
        case cancelled
        case timedOut = "authentication-timed-out"
        /// The challenge was spent, or the item changed while the person was asked.
        case requestOutdated = "request-outdated"
        /// No finger can be asked for here, no finger matched, or the item is bound to other fingers than those enrolled now.
        case biometryRefused = "biometry-refused"
        case authenticationMisconfigured = "authentication-misconfigured"

        case tpmUnavailable = "tpm-unavailable"
        case tpmReplaced = "tpm-replaced"
        case tpmLockout = "tpm-lockout"
        case tpmRefused = "tpm-refused"
        case tpmExhausted = "tpm-exhausted"
        case tpmDeadline = "tpm-deadline"
        /// No try is left for the password that the vault is bound to.
        case tpmTriesUsedUp = "tpm-tries-used-up"
        /// The TPM index that counts the tries of a bound vault's password is gone.
        case tpmPasswordIndexGone = "tpm-password-index-gone"
        /// The machine was started in a way that was not approved for the vault.
        case tpmBootNotApproved = "tpm-boot-not-approved"
        /// The TPM index that holds the approved boots is gone.
        case tpmBootIndexGone = "tpm-boot-index-gone"
        /// The TPM is too old.
        case tpmUnsupported = "tpm-unsupported"
        case tpmOther = "tpm-other"

        case brokerUnreachable = "broker-unreachable"
        /// The broker was reached and did not answer in time.
        case brokerSilent = "broker-silent"
        case authenticatorUnreachable = "authenticator-unreachable"
        /// The process that serves the authenticator's socket runs as the wrong user.
        case authenticatorUntrusted = "authenticator-untrusted"
        /// The other side sent something that its interface does not have.
        case protocolViolation = "protocol-violation"

        case limitExceeded = "limit-exceeded"
        case invalidArgument = "invalid-argument"
        case failed
    }
}

extension KeychainError {
    /// The `OSStatus` that Apple's Security framework gives for this kind of failure (SecBase.h).
    public var appleStatus: Int32 {
        switch code {
        case .notFound: -25300  // errSecItemNotFound
        case .alreadyExists: -25299  // errSecDuplicateItem
        case .changedMeanwhile: -25317  // errSecDataNotModifiable
        case .ambiguous, .invalidArgument: -50  // errSecParam
        case .locked, .authenticationNeeded, .applicationPasswordNeeded: -25308  // errSecInteractionNotAllowed
        case .notPermitted: -34018  // errSecMissingEntitlement
        case .damaged, .notText, .notDecodable: -26275  // errSecDecode
        case .applicationPasswordRefused, .biometryRefused, .wrongPassword, .boundPassword, .accountExpired,
            .accountDenied,
            .tooManyTries,
            .timedOut, .requestOutdated:
            -25293  // errSecAuthFailed
        case .cancelled: -128  // errSecUserCanceled
        case .limitExceeded: -25302  // errSecDataTooLarge
        case .authenticationMisconfigured, .tpmUnavailable, .tpmReplaced, .tpmLockout, .tpmRefused, .tpmExhausted,
            .tpmDeadline, .tpmTriesUsedUp, .tpmPasswordIndexGone, .tpmBootNotApproved, .tpmBootIndexGone,
            .tpmUnsupported,
            .tpmOther, .brokerUnreachable, .brokerSilent, .authenticatorUnreachable, .authenticatorUntrusted:
            -25291  // errSecNotAvailable
        case .protocolViolation, .failed: -2070  // errSecInternalComponent
        }
    }
}
