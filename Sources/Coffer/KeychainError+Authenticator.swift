import BrokerProtocol
import Varlink

extension KeychainError {
    /// A call to the authenticator that got no valid Varlink answer.
    init(authenticator failure: TransportFailure, path: String) {
        switch failure {
        case .unreachable(let reason):
            let installed = path == SocketPaths.installedAuthenticator
            self.init(
                .authenticatorUnreachable, "the authenticator is not running (\(path): \(reason))",
                advice: installed
                    ? "start it with: systemctl start coffer-authenticator.socket"
                    : "start the authenticator that COFFER_AUTH_SOCKET names")
        case .deadline:
            self.init(.timedOut, "the authenticator did not answer in time", advice: "run the command again")
        case .notUnderstood(let reason):
            self.init(
                .protocolViolation, "the authenticator cannot be understood: \(reason)",
                advice: "install coffer and coffer-authenticator of the same version")
        }
    }

    /// An error of `org.coffer.Authentication`.
    init(authenticatorFault fault: Fault) {
        let words = Self.clause(fault.details.message ?? "")
        func said(_ otherwise: String) -> String { words.isEmpty ? otherwise : words }
        switch fault.name {
        case .authenticationFailed: self.init(refusal: fault.details.reason, words: words)
        case .authenticationCancelled: self = .cancelledByPerson
        case .authenticationTimedOut: self = .nobodyAnswered
        case .authenticationChallengeRefused:
            self.init(
                .requestOutdated, said("the request is too old, or belongs to another program"),
                advice: "run the command again")
        case .authenticationInvalidArgument:
            self.init(.invalidArgument, said("the answer cannot be used: it is too long, or has a zero byte"))
        case .authenticationMisconfigured:
            self.init(
                .authenticationMisconfigured,
                said("PAM is not set up for coffer; check that /etc/pam.d/coffer exists"))
        case .brokerUnavailable:
            self.init(
                .brokerUnreachable, said("the authenticator cannot reach the broker"),
                advice: words.isEmpty ? "start it with: systemctl start cofferd.socket" : "")
        case .authenticationLimitExceeded:
            self.init(.limitExceeded, said("too many requests are open; answer or cancel one of them"))
        case .methodNotFound, .interfaceNotFound:
            self.init(
                .protocolViolation, "the authenticator does not know how to do this",
                advice: "install coffer and coffer-authenticator of the same version")
        case .notCompleted:
            switch fault.details.kind {
            case "damaged": self.init(.damaged, parting: said("the store is damaged"))
            case "failed", nil: self.init(.failed, said("you were recognised, but the broker could not use that"))
            case let kind: self.init(tpm: kind, code: fault.details.code, words: words)
            }
        default:
            self.init(
                .protocolViolation, "the authenticator gave an unknown error: \(fault.name.rawValue)")
        }
    }

    /// PAM's refusals. Most messages are Coffer's own, so that they are the same for every PAM module.
    private init(refusal reason: String?, words: String) {
        switch reason.flatMap(Authentication.FailureReason.init(rawValue:)) {
        case .password: self.init(.wrongPassword, "wrong password", advice: "run the command again")
        case .expired:
            self.init(
                .accountExpired, "your account or password has expired", advice: "change the password with: passwd")
        case .denied:
            self.init(.accountDenied, "your account may not do this", advice: "ask the administrator of this machine")
        case .tries:
            self.init(.tooManyTries, "too many wrong answers", advice: "wait a little, then run the command again")
        case .boundPassword: self.init(.boundPassword, words.isEmpty ? "wrong password" : words)
        case .biometry: self.init(.biometryRefused, words.isEmpty ? "no finger was recognised" : words)
        case nil: self.init(.accountDenied, words.isEmpty ? "authentication failed" : words)
        }
    }

    /// The person gave up.
    package static var cancelledByPerson: KeychainError {
        KeychainError(.cancelled, "cancelled", advice: "nothing was done")
    }

    /// The person did not answer within the authenticator's limit.
    static var nobodyAnswered: KeychainError {
        KeychainError(.timedOut, "nobody answered in time", advice: "run the command again")
    }
}
