extension Authentication.Message {
    /// How a message of PAM's (pam_conv(3)) is shown, and whether it takes an answer.
    public enum Style: String, Codable, Sendable {
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
    public enum FailureReason: String, Codable, Sendable {
        case password, expired, denied, tries
        /// A finger cannot be asked for, did not match, or is not one of those that the item is bound to.
        case biometry
        /// The keychain is bound to another password than the login's.
        case boundPassword = "bound-password"
    }
}
