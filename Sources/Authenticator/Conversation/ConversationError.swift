import BrokerProtocol
import PAM
import Varlink

/// Why a conversation ended without its purpose.
enum ConversationError: Error, Equatable {
    /// The client gets a fault, and the broker one of its reason words.
    case refused(Refusal)
    /// The client gave up.
    case cancelled
    /// The client has closed the connection, so only the broker is told.
    case gone
    /// The time limit passed.
    case timedOut
    /// This process was told to end (SIGTERM).
    case terminated

    /// The error for the client, and the reason for the broker.
    struct Refusal: Equatable {
        let fault: Fault
        /// password, expired, denied, tries, biometry, unavailable, cancelled, timeout, other (Interfaces/org.coffer.Broker.varlink, Refuse).
        let reason: String

        static let unavailable = "unavailable"
    }

    /// The reason word for the log and the broker.
    var reason: String {
        switch self {
        case .refused(let refusal): refusal.reason
        case .cancelled, .gone: "cancelled"
        case .timedOut: "timeout"
        case .terminated: "other"
        }
    }

    /// The outcome as the log shows it.
    var outcome: String {
        switch self {
        case .refused(let refusal):
            "\(refusal.reason) (\(refusal.fault.name.rawValue.split(separator: ".").last ?? "?"))"
        case .cancelled: "cancelled"
        case .gone: "client gone"
        case .timedOut: "timed out"
        case .terminated: "terminated"
        }
    }

    /// The fault for the client; nil if the client is gone.
    var fault: Fault? {
        switch self {
        case .refused(let refusal): refusal.fault
        case .cancelled: Fault(.authenticationCancelled, "Authentication was cancelled.")
        case .timedOut: Fault(.authenticationTimedOut, "No answer came in time; start again.")
        case .terminated: Fault(.brokerUnavailable, "The authenticator is stopping; try again later.")
        case .gone: nil
        }
    }
}

extension ConversationError.Refusal {
    private static func other(_ name: Fault.Name, _ message: String) -> Self {
        Self(fault: Fault(name, message), reason: "other")
    }

    static func challengeRefused(_ message: String) -> Self { other(.authenticationChallengeRefused, message) }
    static func invalidArgument(_ message: String) -> Self { other(.authenticationInvalidArgument, message) }
    static func misconfigured(_ message: String) -> Self { other(.authenticationMisconfigured, message) }
    static func limitExceeded(_ message: String) -> Self { other(.authenticationLimitExceeded, message) }
    static func brokerUnavailable(_ message: String) -> Self { other(.brokerUnavailable, message) }

    /// This account has no right to it, no matter what the person answers.
    static func denied(_ message: String) -> Self {
        failed(.denied, message)
    }

    static func failed(_ reason: BrokerProtocol.Authentication.FailureReason, _ message: String) -> Self {
        let fault = Fault(.authenticationFailed, Fault.Details(message: message, reason: reason.rawValue))
        return Self(fault: fault, reason: reason.rawValue)
    }

    /// - Parameter kind: one of the interface's kinds: a TPM kind, `damaged` or `failed`.
    static func notCompleted(_ message: String, kind: String, code: Int64 = 0) -> Self {
        Self(fault: Fault(.notCompleted, Fault.Details(message: message, kind: kind, code: code)), reason: "other")
    }
}

extension ConversationError {
    init(_ error: PAMError) {
        switch error.code {
        case .wrongPassword: self = .refused(.failed(.password, "Authentication failed; the password was wrong."))
        case .accountExpired, .newPasswordRequired: self = .refused(.failed(.expired, error.reason))
        case .denied: self = .refused(.failed(.denied, error.reason))
        case .tooManyTries: self = .refused(.failed(.tries, error.reason))
        case .unavailable:
            self = .refused(
                Refusal(fault: Fault(.authenticationMisconfigured, error.reason), reason: Refusal.unavailable))
        case .misconfigured: self = .refused(.misconfigured(error.reason))
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        case .gone: self = .gone
        }
    }

    /// Translates a failure of the broker.
    init(_ failure: BrokerFailure) {
        switch failure {
        case .unreachable(let reason): self = .refused(.brokerUnavailable(reason))
        case .refused(let fault):
            let message = EscapedText.message(fault.details.message ?? "The broker gave no reason.")
            switch fault.name {
            case .brokerChallengeRefused: self = .refused(.challengeRefused(message))
            case .brokerTPM:
                let kind = EscapedText.escaped(fault.details.kind ?? "other", limit: PromptLimits.kind)
                self = .refused(.notCompleted(message, kind: kind, code: fault.details.code ?? 0))
            case .brokerDamaged: self = .refused(.notCompleted(message, kind: "damaged"))
            default: self = .refused(.notCompleted(message, kind: "failed"))
            }
        }
    }
}
