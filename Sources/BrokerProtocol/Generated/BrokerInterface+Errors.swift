// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import JSON
import Varlink

extension Fault.Name {
    /// The challenge is unknown, used, too old, or another process's.
    public static let brokerChallengeRefused = Self(rawValue: "org.coffer.Broker.ChallengeRefused")
    /// The TPM could not do it.
    ///
    /// kind: It is one of TPM's in org.coffer.Keychain, or wrong-password.
    ///
    /// code: The TPM's own code, or 0.
    ///
    /// triesLeft: With kind wrong-password: how many more the TPM takes.
    public static let brokerTPM = Self(rawValue: "org.coffer.Broker.TPM")
    /// The store is damaged, or not the one that belongs here.
    ///
    /// kind: It is rollback where the vault's file is an older copy, or where what counts is gone.
    public static let brokerDamaged = Self(rawValue: "org.coffer.Broker.Damaged")
    /// The caller may not do this.
    public static let brokerNotPermitted = Self(rawValue: "org.coffer.Broker.NotPermitted")
    /// The broker could not do it, for another reason.
    public static let brokerFailed = Self(rawValue: "org.coffer.Broker.Failed")
    /// A parameter cannot be used.
    public static let brokerInvalidArgument = Self(rawValue: "org.coffer.Broker.InvalidArgument")
}
