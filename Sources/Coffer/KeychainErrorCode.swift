extension KeychainError {
    /// The kinds of failure. The raw values are part of the machine-readable output and never change.
    public enum Code: String, Sendable, CaseIterable {
        case notFound = "not-found"
        case ambiguous
        case alreadyExists = "already-exists"
        case locked
        case notPermitted = "not-permitted"
        case damaged

        /// A person is needed and none can be asked.
        case authenticationNeeded = "authentication-needed"
        /// The item takes an application password, and none was given.
        case applicationPasswordNeeded = "application-password-needed"
        /// It was wrong, or the item is damaged: the two look alike.
        case applicationPasswordRefused = "application-password-refused"
        /// The answer was wrong.
        case wrongPassword = "wrong-password"
        /// The keychain is bound to another password than the login's.
        case boundPassword = "bound-password"
        case accountExpired = "account-expired"
        case accountDenied = "account-denied"
        case tooManyTries = "too-many-tries"
        case cancelled
        case timedOut = "authentication-timed-out"
        /// The challenge was spent, or the item changed while the person was asked.
        case requestOutdated = "request-outdated"
        /// No finger can be asked for here, it did not match, or the item is bound to other fingers than those that are enrolled now.
        case biometryRefused = "biometry-refused"
        case authenticationMisconfigured = "authentication-misconfigured"

        case tpmUnavailable = "tpm-unavailable"
        case tpmReplaced = "tpm-replaced"
        case tpmLockout = "tpm-lockout"
        case tpmRefused = "tpm-refused"
        case tpmExhausted = "tpm-exhausted"
        case tpmDeadline = "tpm-deadline"
        /// No wrong password is taken any more for a keychain that is bound to one.
        case tpmTriesUsedUp = "tpm-tries-used-up"
        /// What counts the tries of a bound keychain's password is gone.
        case tpmPasswordIndexGone = "tpm-password-index-gone"
        /// The machine was started in a way that was not approved for the keychain.
        case tpmBootNotApproved = "tpm-boot-not-approved"
        /// What says which boots are approved is gone.
        case tpmBootIndexGone = "tpm-boot-index-gone"
        /// The TPM is too old.
        case tpmUnsupported = "tpm-unsupported"
        case tpmOther = "tpm-other"

        case brokerUnreachable = "broker-unreachable"
        /// The broker was reached and did not answer in time.
        case brokerSilent = "broker-silent"
        case authenticatorUnreachable = "authenticator-unreachable"
        /// Whoever listens on the authenticator's socket is not who it should be.
        case authenticatorUntrusted = "authenticator-untrusted"
        /// The other side said something that its interface does not have.
        case protocolViolation = "protocol-violation"

        case limitExceeded = "limit-exceeded"
        case invalidArgument = "invalid-argument"
        case failed
    }
}
