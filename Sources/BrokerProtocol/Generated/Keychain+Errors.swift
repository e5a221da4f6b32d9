// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Varlink

extension Fault.Name {
    /// A person is needed. Pass the challenge to Begin of org.coffer.Authentication. Then repeat the call with the
    /// challenge, from the same process.
    ///
    /// purposes: What the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate,
    /// accept, tieToBoot, releaseFromBoot, approveBoot. For enrolment nobody is asked: the authenticator looks
    /// whether fingers are enrolled.
    public static let authenticationRequired = Self(rawValue: "org.coffer.Keychain.AuthenticationRequired")
    /// The challenge is unknown, used, too old, another process's or another item's, or the item changed since. Start
    /// again without one.
    public static let challengeRefused = Self(rawValue: "org.coffer.Keychain.ChallengeRefused")
    /// The item takes an application password, and the call had none. Ask for it, and repeat the call with it.
    public static let applicationPasswordRequired = Self(rawValue: "org.coffer.Keychain.ApplicationPasswordRequired")
    /// The application password is wrong, or the item is damaged. Or too many were wrong, and it is too soon for
    /// another.
    public static let applicationPasswordRefused = Self(rawValue: "org.coffer.Keychain.ApplicationPasswordRefused")
    /// The item can be read only with fingers that are not enrolled any more.
    public static let fingersChanged = Self(rawValue: "org.coffer.Keychain.FingersChanged")
    /// There is no such item or vault for this caller.
    public static let notFound = Self(rawValue: "org.coffer.Keychain.NotFound")
    /// The account was left out, and there are several.
    ///
    /// accounts: Those that there are of the service.
    public static let ambiguous = Self(rawValue: "org.coffer.Keychain.Ambiguous")
    /// What was to be made is there already.
    public static let alreadyExists = Self(rawValue: "org.coffer.Keychain.AlreadyExists")
    /// The vault is locked. Unlock opens it.
    public static let locked = Self(rawValue: "org.coffer.Keychain.Locked")
    /// The caller may not do this.
    public static let notPermitted = Self(rawValue: "org.coffer.Keychain.NotPermitted")
    /// The store is damaged, or not the one that belongs here.
    ///
    /// kind: It is rollback where the store is an older copy, or where what counts is gone. Root can accept it
    /// (AcceptVault).
    public static let damaged = Self(rawValue: "org.coffer.Keychain.Damaged")
    /// The TPM could not do it.
    ///
    /// kind: It is unavailable, replaced, lockout, refused, exhausted, deadline, tries-used-up, other, or one of
    /// these. unsupported: the TPM is too old. busy: it spares its memory. renewed: the keys were renewed since this
    /// copy was made. boot: the machine was not started in a way that was approved. boot-index: what says which boots
    /// are approved is gone. pin-index: what counts the tries of a bound vault's password is gone.
    ///
    /// code: The TPM's own code, or 0.
    public static let tpm = Self(rawValue: "org.coffer.Keychain.TPM")
    /// The caller has reached a limit.
    public static let limitExceeded = Self(rawValue: "org.coffer.Keychain.LimitExceeded")
    /// A parameter cannot be used.
    public static let invalidArgument = Self(rawValue: "org.coffer.Keychain.InvalidArgument")
    /// The broker could not do it, for a reason that is neither the caller's nor the TPM's (disk full, say).
    public static let failed = Self(rawValue: "org.coffer.Keychain.Failed")
}
