/// Why a keychain operation failed.
///
/// ```swift
/// do throws(KeychainError) {
///     print(try await keychain.string(for: "token").count)
/// } catch {
///     switch error.code {
///     case .notFound: showLogin()
///     case .cancelled: return
///     default: throw error
///     }
/// }
/// ```
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
    /// The words of ``message`` that name items; nil if it names none.
    package private(set) var subject: String?

    /// An error of your own, for example in a test or another backend.
    /// ```swift
    /// throw KeychainError(.locked, "the vault is locked", advice: "coffer unlock")
    /// ```
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

extension KeychainError {
    /// - Parameter subject: the words of the message that name items.
    package func naming(_ subject: String?) -> KeychainError {
        var error = self
        error.subject = subject
        return error
    }

    /// The message without the names of items. They are sealed in the vault, and a journal lies open on the disk.
    package var namelessMessage: String { subject.map { message.replacing($0, with: "an item") } ?? message }
}

extension KeychainError: CustomStringConvertible {
    /// What happened and what to do, on one line.
    public var description: String { advice.isEmpty ? message : "\(message); \(advice)" }
}

extension KeychainError {
    /// The kinds of failure. The raw values are part of the machine-readable output and never change.
    public enum Code: String, Sendable, CaseIterable {
        /// There is no such item, or it has expired.
        case notFound = "not-found"
        /// Several items match. ``accounts`` names them.
        case ambiguous
        /// There is such an item, and the call wanted a new one.
        case alreadyExists = "already-exists"
        /// The item is not in the state that the call named: it was changed or deleted since.
        case changedMeanwhile = "changed-meanwhile"
        /// The vault is locked, and the call may not open it, or nobody can be asked to. Nothing else is missing: once the vault is unlocked, the
        /// same call goes on.
        case locked
        /// The caller may not use that vault.
        case notPermitted = "not-permitted"
        /// Stored data was changed, cut off or rolled back.
        case damaged
        /// The value is not UTF-8, so it is not text.
        case notText = "not-text"
        /// The value is not of the type that was asked for.
        case notDecodable = "not-decodable"

        /// A person is needed for the item itself, or to make or open the vault when that was the call, and nobody can be asked.
        case authenticationNeeded = "authentication-needed"
        /// The item takes an application password, and none was given.
        case applicationPasswordNeeded = "application-password-needed"
        /// The application password was wrong, or the item is damaged; the two cannot be told apart.
        case applicationPasswordRefused = "application-password-refused"
        /// The answer was wrong.
        case wrongPassword = "wrong-password"
        /// The vault is bound to another password than the login's.
        case boundPassword = "bound-password"
        /// The person's account has expired (PAM_ACCT_EXPIRED).
        case accountExpired = "account-expired"
        /// The account may not be used now (PAM_PERM_DENIED).
        case accountDenied = "account-denied"
        /// Too many wrong answers. The message says when to try again.
        case tooManyTries = "too-many-tries"
        /// The person gave up, or the task was cancelled. Nothing was changed.
        case cancelled
        /// The task was cancelled after a change was sent. It may have been made.
        case outcomeUnknown = "outcome-unknown"
        /// Nobody answered in time.
        case timedOut = "authentication-timed-out"
        /// The challenge was spent, or the item changed while the person was asked.
        case requestOutdated = "request-outdated"
        /// No finger matched, or the item is bound to other fingers than those enrolled now.
        case biometryRefused = "biometry-refused"
        /// There is a reader, and the person has enrolled no finger.
        case biometryNotEnrolled = "biometry-not-enrolled"
        /// No finger can be asked for here: there is no reader, or it cannot be used now. The message says why.
        case biometryNotAvailable = "biometry-not-available"
        /// The PAM configuration cannot ask as the item demands.
        case authenticationMisconfigured = "authentication-misconfigured"

        /// The TPM does not answer.
        case tpmUnavailable = "tpm-unavailable"
        /// The TPM was cleared, or is another one.
        case tpmReplaced = "tpm-replaced"
        /// The TPM refuses after wrong tries. The message says how long.
        case tpmLockout = "tpm-lockout"
        /// The TPM refuses to release the key.
        case tpmRefused = "tpm-refused"
        /// The TPM has no room or no free session.
        case tpmExhausted = "tpm-exhausted"
        /// The TPM did not answer in time.
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
        /// Any other error of the TPM. ``tpmCode`` has its number.
        case tpmOther = "tpm-other"

        /// No broker listens at the socket, or the one that answers is about to end. The next one goes on.
        case brokerUnreachable = "broker-unreachable"
        /// The broker was reached and did not answer in time.
        case brokerSilent = "broker-silent"
        /// No authenticator listens at its socket.
        case authenticatorUnreachable = "authenticator-unreachable"
        /// The process that serves the authenticator's socket runs as the wrong user, or cannot be seen from here.
        case authenticatorUntrusted = "authenticator-untrusted"
        /// The other side sent something that its interface does not have.
        case protocolViolation = "protocol-violation"

        /// A size or a number is beyond a limit, which the message names.
        case limitExceeded = "limit-exceeded"
        /// The call itself is wrong. The message says which part.
        case invalidArgument = "invalid-argument"
        /// Anything else.
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
        case .applicationPasswordRefused, .biometryRefused, .biometryNotEnrolled, .biometryNotAvailable, .wrongPassword,
            .boundPassword, .accountExpired,
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
        case .protocolViolation, .failed, .outcomeUnknown: -2070  // errSecInternalComponent
        }
    }
}

extension KeychainError {
    /// `.invalidArgument`, for an access control that contradicts itself.
    package init(_ error: AccessControlError) { self.init(.invalidArgument, error.reason, advice: error.advice) }

    /// `.limitExceeded` or `.invalidArgument`, for what an item cannot have.
    package init(_ error: ItemLimitError) {
        self.init(error.isExcess ? .limitExceeded : .invalidArgument, error.reason, advice: error.advice)
    }
}
