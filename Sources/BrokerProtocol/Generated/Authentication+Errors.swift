// Made by scripts/interfaces from Interfaces/org.coffer.Authentication.varlink: change that file.
import JSON
import Varlink

extension Fault.Name {
    /// The person was not recognised.
    ///
    /// reason: password: the answer was wrong. expired: the account or its password has expired. denied: the account
    /// may not do it. tries: there were too many. bound-password: the vault is bound to another password than the
    /// login password. biometry: Coffer cannot ask for a finger, recognised none, or the item is bound to other
    /// fingers.
    ///
    /// kind: For biometry: as obstacle of Biometry, or not-recognised, or other-fingers.
    public static let authenticationFailed = Self(rawValue: "org.coffer.Authentication.Failed")
    /// The person gave up.
    public static let authenticationCancelled = Self(rawValue: "org.coffer.Authentication.Cancelled")
    /// The person did not answer in time.
    public static let authenticationTimedOut = Self(rawValue: "org.coffer.Authentication.TimedOut")
    /// The broker does not know the challenge, or it belongs to another process.
    public static let authenticationChallengeRefused = Self(rawValue: "org.coffer.Authentication.ChallengeRefused")
    /// The answer is too long or has a NUL byte, or a call came out of order. Or an answer cannot be used again for
    /// so long, or the caller has no terminal session. Or an item would be bound to a finger, but none is enrolled.
    ///
    /// kind: For an item that would be bound to a finger: as obstacle of Biometry.
    public static let authenticationInvalidArgument = Self(rawValue: "org.coffer.Authentication.InvalidArgument")
    /// PAM is not set up: a service file or a module is missing. Or the authenticator cannot start.
    ///
    /// cause: PAM's own code (pam 4), if PAM was asked.
    public static let authenticationMisconfigured = Self(rawValue: "org.coffer.Authentication.Misconfigured")
    /// The broker cannot be reached, or runs as the wrong user.
    public static let brokerUnavailable = Self(rawValue: "org.coffer.Authentication.BrokerUnavailable")
    /// The person is authenticated, but the broker could not use the answer.
    ///
    /// kind: It is a kind of the error TPM of org.coffer.Keychain, or damaged, or failed.
    ///
    /// code: The TPM's own code, or 0.
    public static let notCompleted = Self(rawValue: "org.coffer.Authentication.NotCompleted")
    /// Too many conversations of this user, or of all users, are open.
    public static let authenticationLimitExceeded = Self(rawValue: "org.coffer.Authentication.LimitExceeded")
}
