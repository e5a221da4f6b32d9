import BrokerProtocol
import PAM
import Varlink

/// How a conversation ended without its purpose.
enum ConversationError: Error, Equatable {
    /// The client is told why; the broker too, with one of its words for it.
    case refused(Refusal)
    /// The client gave up.
    case cancelled
    /// The client is no longer there, so nobody is told but the broker.
    case gone
    /// The time limit passed.
    case timedOut
    /// This process was told to end (SIGTERM).
    case terminated

    /// What a client is told and what the broker is.
    struct Refusal: Equatable {
        let fault: Fault
        /// password, expired, denied, tries, biometry, unavailable, cancelled, timeout, other (Interfaces/org.coffer.Broker.varlink, Refuse).
        let reason: String

        static let unavailable = "unavailable"
    }

    /// The word for it in the log and for the broker.
    var reason: String {
        switch self {
        case .refused(let refusal): refusal.reason
        case .cancelled, .gone: "cancelled"
        case .timedOut: "timeout"
        case .terminated: "other"
        }
    }

    /// What the log says.
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

    /// What the client is told; nil where it is not there to hear.
    var fault: Fault? {
        switch self {
        case .refused(let refusal): refusal.fault
        case .cancelled: Fault(.authenticationCancelled, "Authentication was cancelled.")
        case .timedOut: Fault(.authenticationTimedOut, "No answer came in time: start again.")
        case .terminated: Fault(.brokerUnavailable, "The authenticator is being stopped: try again later.")
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

    /// The account may not, whatever the answer.
    static func denied(_ message: String) -> Self {
        failed(.denied, message)
    }

    static func failed(_ reason: BrokerProtocol.Authentication.FailureReason, _ message: String) -> Self {
        let fault = Fault(.authenticationFailed, Fault.Details(message: message, reason: reason.rawValue))
        return Self(fault: fault, reason: reason.rawValue)
    }

    /// - Parameter kind: as in the interface: a TPM kind, `damaged` or `failed`.
    static func notCompleted(_ message: String, kind: String, code: Int64 = 0) -> Self {
        Self(fault: Fault(.notCompleted, Fault.Details(message: message, kind: kind, code: code)), reason: "other")
    }
}

extension ConversationError {
    init(_ error: PAMError) {
        switch error.code {
        case .wrongPassword: self = .refused(.failed(.password, "Authentication failed: the password was wrong."))
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

    /// A broker that could not do its part.
    init(_ failure: BrokerFailure) {
        switch failure {
        case .unreachable(let reason): self = .refused(.brokerUnavailable(reason))
        case .refused(let fault):
            let message = PromptText.message(fault.details.message ?? "The broker gave no reason.")
            switch fault.name {
            case .brokerChallengeRefused: self = .refused(.challengeRefused(message))
            case .brokerTPM:
                let kind = PromptText.escaped(fault.details.kind ?? "other", limit: 32)
                self = .refused(.notCompleted(message, kind: kind, code: fault.details.code ?? 0))
            case .brokerDamaged: self = .refused(.notCompleted(message, kind: "damaged"))
            default: self = .refused(.notCompleted(message, kind: "failed"))
            }
        }
    }
}
