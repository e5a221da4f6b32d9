// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Fault.Name {
    /// A person is needed. Pass the challenge to Begin of org.coffer.Authentication. Then repeat the call with the
    /// challenge, from the same process.
    ///
    /// purposes: What the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate,
    /// accept, tieToBoot, releaseFromBoot, approveBoot, lease. For enrolment nobody is asked: the authenticator
    /// checks whether fingers are enrolled.
    ///
    /// leased: A lease covers the request, so Begin needs nobody. The authenticator has the last word.
    public static let authenticationRequired = Self(rawValue: "org.coffer.Keychain.AuthenticationRequired")
    /// The challenge is unknown, used, too old, or for another process or item. Or the item changed since. Start
    /// again without one.
    public static let challengeRefused = Self(rawValue: "org.coffer.Keychain.ChallengeRefused")
    /// The item needs an application password, and the call had none. Ask for it, and repeat the call with it.
    public static let applicationPasswordRequired = Self(rawValue: "org.coffer.Keychain.ApplicationPasswordRequired")
    /// The application password is wrong, or the item is damaged. Or there were too many wrong ones, and the caller
    /// must wait.
    public static let applicationPasswordRefused = Self(rawValue: "org.coffer.Keychain.ApplicationPasswordRefused")
    /// The item can be read only with fingers that are no longer enrolled.
    public static let fingersChanged = Self(rawValue: "org.coffer.Keychain.FingersChanged")
    /// There is no such item or vault for this caller.
    public static let notFound = Self(rawValue: "org.coffer.Keychain.NotFound")
    /// The account was left out, and the service has several.
    ///
    /// accounts: The accounts of the service.
    public static let ambiguous = Self(rawValue: "org.coffer.Keychain.Ambiguous")
    /// The vault or item that the call would make exists already.
    public static let alreadyExists = Self(rawValue: "org.coffer.Keychain.AlreadyExists")
    /// The item is not in the state that ifRevision names: it was changed or deleted since. Nothing was changed.
    public static let changed = Self(rawValue: "org.coffer.Keychain.Changed")
    /// The vault is locked. Unlock opens it.
    public static let locked = Self(rawValue: "org.coffer.Keychain.Locked")
    /// The caller may not do this.
    public static let notPermitted = Self(rawValue: "org.coffer.Keychain.NotPermitted")
    /// The vault's file is damaged, or is not the one that belongs here.
    ///
    /// kind: It is rollback if the file is an older copy, or if the counter is gone. Root can accept the file
    /// (AcceptVault). It is missing if the vault's file or its record in the registry is not there. Putting it back
    /// ends the error.
    public static let damaged = Self(rawValue: "org.coffer.Keychain.Damaged")
    /// The TPM could not do it.
    ///
    /// kind: It is unavailable, replaced, lockout, refused, exhausted, deadline, tries-used-up, other, or one of
    /// these. unsupported: the TPM is too old. busy: the TPM spares its memory, and asks to try again later. renewed:
    /// the keys were renewed since this copy was made. boot: this boot was not approved. boot-index: the record of
    /// the approved boots is gone. pin-index: the count of a bound vault's password tries is gone.
    ///
    /// code: The TPM's own code, or 0.
    public static let tpm = Self(rawValue: "org.coffer.Keychain.TPM")
    /// The caller has reached a limit.
    public static let limitExceeded = Self(rawValue: "org.coffer.Keychain.LimitExceeded")
    /// A parameter cannot be used.
    public static let invalidArgument = Self(rawValue: "org.coffer.Keychain.InvalidArgument")
    /// The broker could not do it. Neither the caller nor the TPM is the reason (for example, the disk is full).
    public static let failed = Self(rawValue: "org.coffer.Keychain.Failed")
}
