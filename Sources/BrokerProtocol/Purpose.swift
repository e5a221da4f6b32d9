extension Keychain {
    /// What a person is asked for.
    public enum Purpose: String, Codable, Sendable, CaseIterable {
        case create, unlock, read, recovery
        /// To change for good what it takes to read an item; the value is taken out for that.
        case change
        /// To give an item another name, by which it is asked for from then on.
        case rename
        /// To hold the vault to the login password, or no longer.
        case bind, unbind
        /// To take the vault's file for the newest, though the TPM has not counted it so. Root asks.
        case accept
        /// To tie the vault to the boot that the machine was started with, or no longer.
        case tieToBoot, releaseFromBoot
        /// To have it open under another boot, or under this one alone.
        case approveBoot
        /// To renew all keys of the vault.
        case rotate
        /// Nobody is asked: the authenticator looks which fingers are enrolled.
        case enrolment
    }
}
