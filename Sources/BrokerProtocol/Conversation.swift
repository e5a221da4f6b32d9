import JSON

extension Authentication.Message {
    /// How a message of PAM's (pam_conv(3)) is shown, and whether it takes an answer.
    public enum Style: String, JSONValue {
        /// PAM_PROMPT_ECHO_OFF
        case secret
        /// PAM_PROMPT_ECHO_ON
        case visible
        /// PAM_TEXT_INFO
        case info
        /// PAM_ERROR_MSG
        case error
    }
}

extension Authentication {
    /// Why a person was refused, as `reason` of `Failed` carries it.
    public enum FailureReason: String, JSONValue {
        case password, expired, denied, tries
        /// A finger cannot be asked for, did not match, or is not one of those that the item is bound to.
        case biometry
        /// The keychain is bound to another password than the login's.
        case boundPassword = "bound-password"
    }

    /// Why a finger was not asked for or not taken, as `obstacle` of `Biometry` and `kind` of an error carry it.
    public enum FingerRefusal: String, JSONValue {
        /// fprintd finds no reader.
        case noReader = "no-reader"
        /// The user has enrolled no finger.
        case notEnrolled = "not-enrolled"
        /// Nobody could be asked for readers.
        case notLookedFor = "not-looked-for"
        /// Not now, or not in this session.
        case unavailable
        /// The finger was none of those that are enrolled.
        case notRecognised = "not-recognised"
        /// The item is bound to other fingers.
        case otherFingers = "other-fingers"
    }
}

extension Keychain {
    /// What a person is asked for.
    public enum Purpose: String, JSONValue, CaseIterable {
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
        /// To let a process and its descendants read items without a prompt for a while.
        case lease
        /// To share the vault's items with machines that are added later.
        case foundCircle
        /// To add a machine to those that share the items.
        case addToCircle
        /// To make a code on paper that reads what is shared.
        case paperToCircle
        /// To share the items with those of other machines.
        case joinCircle
        /// To remove machines from those that share the items.
        case removeFromCircle
        /// To give guarded items to machines that cannot read them yet.
        case releaseToCircle
    }
}
