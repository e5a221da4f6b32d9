import Authorization
import BrokerProtocol
import Glibc
import PAM
import Platform
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
        var fault: Fault
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
        case .cancelled: Fault(.authenticationCancelled, "authentication was cancelled")
        case .timedOut: Fault(.authenticationTimedOut, "nobody answered in time")
        case .terminated: Fault(.brokerUnavailable, "the authenticator is stopping", advice: "try again later")
        case .gone: nil
        }
    }
}

extension ConversationError.Refusal {
    private static func other(_ name: Fault.Name, _ message: String, _ advice: String = "") -> Self {
        Self(fault: Fault(name, message, advice: advice), reason: "other")
    }

    static func challengeRefused(_ message: String, advice: String = "") -> Self {
        other(.authenticationChallengeRefused, message, advice)
    }
    static func invalidArgument(_ message: String, advice: String = "") -> Self {
        other(.authenticationInvalidArgument, message, advice)
    }
    static func misconfigured(_ message: String, advice: String = "") -> Self {
        other(.authenticationMisconfigured, message, advice)
    }
    /// A system call that this process needs has failed.
    static func misconfigured(_ error: SystemError) -> Self {
        misconfigured("the authenticator \(error.message)", because: error)
    }
    /// - Parameter message: names the error, too.
    static func misconfigured(_ message: String, because error: SystemError) -> Self {
        let isFull = [ENOSPC, EDQUOT].contains(error.errno)
        let advice = isFull ? "make room on the disk and try again" : error.advice
        return Self(
            fault: Fault(.authenticationMisconfigured, message, advice: advice, cause: error.underlying),
            reason: "other")
    }
    static func limitExceeded(_ message: String, advice: String = "") -> Self {
        other(.authenticationLimitExceeded, message, advice)
    }
    static func brokerUnavailable(_ message: String, advice: String = "") -> Self {
        other(.brokerUnavailable, message, advice)
    }

    /// The answer was not judged in time.
    /// - Parameter byOthers: whether answers of other programs were judged meanwhile, or shortly before.
    static func keptWaiting(byOthers: Bool) -> Self {
        let fault =
            byOthers
            ? Fault(
                .authenticationTimedOut, "other programs' wrong answers kept yours waiting for too long",
                advice: "see which programs with: coffer log")
            : Fault(
                .authenticationTimedOut, "your answer had to wait for too long after wrong ones",
                advice: "wait a little, then run the command again")
        return Self(fault: fault, reason: "timeout")
    }

    /// This account has no right to it, no matter what the person answers.
    static func denied(_ message: String, advice: String = "") -> Self {
        failed(.denied, message, advice: advice)
    }

    static func failed(
        _ reason: BrokerProtocol.Authentication.FailureReason, _ message: String, advice: String = ""
    ) -> Self {
        let details = Fault.Details(message: message, advice: advice, reason: reason.rawValue)
        return Self(fault: Fault(.authenticationFailed, details), reason: reason.rawValue)
    }

    /// A finger could not be asked for, or was the wrong one.
    static func failed(_ words: BiometryWords) -> Self {
        var refusal = failed(.biometry, words.reason, advice: words.advice)
        refusal.fault.details.kind = words.kind.rawValue
        return refusal
    }

    /// The registry cannot be read or changed.
    /// - Parameter consequence: what that prevented.
    static func notCompleted(_ consequence: String, _ error: RegistryError, kind: String = "failed") -> Self {
        var refusal = notCompleted("\(consequence): \(error.reason)", advice: error.advice, kind: kind)
        refusal.fault.details.cause = error.underlying
        return refusal
    }

    /// - Parameter kind: one of the interface's kinds: a TPM kind, `damaged` or `failed`.
    static func notCompleted(_ message: String, advice: String = "", kind: String, code: Int64 = 0) -> Self {
        let details = Fault.Details(message: message, advice: advice, kind: kind, code: code)
        return Self(fault: Fault(.notCompleted, details), reason: "other")
    }
}

extension ConversationError {
    init(_ error: PAMError) {
        let reason: BrokerProtocol.Authentication.FailureReason
        switch error.code {
        case .wrongPassword: reason = .password
        case .accountExpired, .newPasswordRequired: reason = .expired
        case .denied: reason = .denied
        case .tooManyTries: reason = .tries
        case .unavailable, .misconfigured:
            let cause = error.rawCode == 0 ? nil : "pam \(error.rawCode)"
            let fault = Fault(.authenticationMisconfigured, error.reason, advice: error.advice, cause: cause)
            self = .refused(Refusal(fault: fault, reason: error.code == .unavailable ? Refusal.unavailable : "other"))
            return
        case .cancelled:
            self = .cancelled
            return
        case .timedOut:
            self = .timedOut
            return
        case .gone:
            self = .gone
            return
        }
        self = .refused(.failed(reason, error.reason, advice: error.advice))
    }

    /// A failure of the broker. Its fields are passed on, made safe to show, because the client does not trust the broker.
    init(_ failure: BrokerFailure) {
        switch failure {
        case .unreachable(let message, let advice): self = .refused(.brokerUnavailable(message, advice: advice))
        case .refused(let fault):
            var details = Fault.Details(
                message: EscapedText.message(fault.details.message ?? "the broker gave no reason"),
                advice: EscapedText.message(fault.details.advice ?? ""),
                cause: fault.details.cause.map { EscapedText.escaped($0, limit: PromptLimits.kind) })
            guard fault.name != .brokerChallengeRefused else {
                self = .refused(Refusal(fault: Fault(.authenticationChallengeRefused, details), reason: "other"))
                return
            }
            details.code = 0
            switch fault.name {
            case .brokerTPM:
                details.kind = EscapedText.escaped(fault.details.kind ?? "other", limit: PromptLimits.kind)
                details.code = fault.details.code ?? 0
            case .brokerDamaged: details.kind = "damaged"
            default: details.kind = "failed"
            }
            self = .refused(Refusal(fault: Fault(.notCompleted, details), reason: "other"))
        }
    }
}
