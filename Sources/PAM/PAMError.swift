internal import CPAM

/// Why PAM did not accept the person. Errors are equal if their ``code`` is.
public struct PAMError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// The answer was wrong, or the user is unknown. One case deliberately covers both, so that nobody learns which.
        case wrongPassword
        /// The account has expired, or its password so long ago that the owner can no longer change it.
        case accountExpired
        /// The password has expired and must be changed first.
        case newPasswordRequired
        /// The account may not use this service now.
        case denied
        /// A module allows no more tries.
        case tooManyTries
        /// The stack cannot ask now: a reader is gone, or has waited in vain.
        case unavailable
        /// PAM is not set up: a service file is missing, or a module is missing or broken.
        case misconfigured
        /// The conversation was interrupted; see ``Interruption``.
        case cancelled, timedOut, gone
    }

    /// The PAM call that failed.
    public enum Call: String, Sendable {
        case start, authenticate, account
    }

    public let code: Code
    /// PAM's own return code (`PAM_AUTH_ERR` …); 0 if PAM was not asked.
    public let rawCode: Int32
    public let call: Call
    /// What happened, for people.
    public let reason: String
    /// What to do about it, for people; empty if there is nothing to do.
    public let advice: String

    public var description: String {
        "\(reason) (PAM \(call.rawValue): \(rawCode))" + (advice.isEmpty ? "" : "; \(advice)")
    }

    init(_ code: Code, rawCode: Int32 = 0, call: Call, reason: String, advice: String = "") {
        self.advice = advice
        self.code = code
        self.rawCode = rawCode
        self.call = call
        self.reason = reason
    }
}

extension PAMError: Equatable {
    public static func == (left: PAMError, right: PAMError) -> Bool { left.code == right.code }
}

extension PAMError {
    init(_ interruption: Interruption, rawCode: Int32, call: Call) {
        switch interruption {
        case .cancelled:
            self.init(.cancelled, rawCode: rawCode, call: call, reason: "authentication was cancelled")
        case .timedOut:
            self.init(.timedOut, rawCode: rawCode, call: call, reason: "nobody answered in time")
        case .gone:
            self.init(.gone, rawCode: rawCode, call: call, reason: "the asking program is gone")
        case .unsupported:
            self.init(
                .misconfigured, rawCode: rawCode, call: call,
                reason: "a PAM module wants a kind of conversation that a terminal cannot hold")
        case .outOfMemory:
            self.init(.misconfigured, rawCode: rawCode, call: call, reason: "there was no memory for the answer")
        }
    }

    /// Translates PAM's return codes, which no other place does.
    init(rawCode: Int32, call: Call, service: String) {
        let pair: (Code, String) =
            switch (rawCode, call) {
            case (PAM_AUTH_ERR, .account), (PAM_USER_UNKNOWN, .account), (PAM_PERM_DENIED, _):
                (.denied, "the account may not use this service")
            case (PAM_AUTH_ERR, _), (PAM_USER_UNKNOWN, _), (PAM_CRED_INSUFFICIENT, .authenticate):
                (.wrongPassword, "authentication failed")
            // pam_unix returns the second if the time to change an expired password is over. Then passwd does not help either.
            case (PAM_ACCT_EXPIRED, _), (PAM_AUTHTOK_EXPIRED, _):
                (.accountExpired, "your account has expired")
            case (PAM_NEW_AUTHTOK_REQD, _), (PAM_CRED_EXPIRED, _):
                (.newPasswordRequired, "your password has expired")
            case (PAM_MAXTRIES, _):
                (.tooManyTries, "there were too many failed tries")
            case (PAM_AUTHINFO_UNAVAIL, .authenticate):
                (.unavailable, "the PAM service \"\(service)\" cannot ask now: \(Self.text(of: rawCode))")
            case (PAM_CONV_ERR, _):
                (.gone, "the conversation was broken off")
            default:
                (.misconfigured, "the PAM service \"\(service)\" does not work: \(Self.text(of: rawCode))")
            }
        self.init(
            pair.0, rawCode: rawCode, call: call, reason: pair.1,
            advice: Self.advice(pair.0))
    }

    /// PAM's modules say the same: they send the owner of an expired account to the administrator.
    private static func advice(_ code: Code) -> String {
        switch code {
        case .newPasswordRequired: "change it with: passwd"
        case .accountExpired: "ask the administrator of this machine"
        case .wrongPassword, .denied, .tooManyTries, .unavailable, .misconfigured, .cancelled, .timedOut, .gone: ""
        }
    }

    private static func text(of rawCode: Int32) -> String {
        // Linux-PAM uses only the number, and returns a string of its own that must not be freed.
        guard let text = unsafe pam_strerror(nil, rawCode) else { return "error \(rawCode)" }
        return unsafe String(cString: text)
    }
}
