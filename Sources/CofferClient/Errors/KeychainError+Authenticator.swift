import BrokerProtocol
import Platform
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
        case .broken(let reason):
            self.init(
                .authenticatorUnreachable, "the connection to the authenticator broke: \(reason)",
                advice: "try again; if it breaks again, check it with: systemctl status coffer-authenticator")
        case .unnamed: self = .unnamedServer(of: path, .authenticatorUntrusted)
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
        let details = fault.details
        switch fault.name {
        case .authenticationFailed: self.init(refusal: details)
        case .authenticationCancelled: self = .cancelledByPerson
        // The access control is in order. It is fingers that are missing.
        case .authenticationInvalidArgument where details.kind != nil:
            self.init(
                Self.fingerCode(details.kind), details.message ?? "no finger can be asked for here",
                advice: details.advice ?? "")
        case .notCompleted:
            let kind = details.kind ?? "failed"
            self = (KnownFault.notCompleted[kind] ?? KnownFault.tpm(kind)).error(details)
        case .methodNotFound, .interfaceNotFound:
            self.init(
                .protocolViolation, "the authenticator does not know how to do this",
                advice: "install coffer and coffer-authenticator of the same version")
        default:
            self =
                KnownFault.authenticator[fault.name]?.error(details)
                ?? KeychainError(
                    .protocolViolation, "the authenticator gave an unknown error: \(fault.name.rawValue)")
        }
    }

    /// PAM's refusals. Most words are Coffer's own, so that they are the same for every PAM module.
    private init(refusal details: Fault.Details) {
        switch details.reason.flatMap(Authentication.FailureReason.init(rawValue:)) {
        case .password: self.init(.wrongPassword, "wrong password", advice: "run the command again")
        case .expired:
            // The authenticator knows which of the two, and so who can help.
            self.init(
                .accountExpired, details.message ?? "your account or password has expired",
                advice: details.advice ?? "ask the administrator of this machine")
        case .denied:
            self.init(.accountDenied, "your account may not do this", advice: "ask the administrator of this machine")
        case .tries:
            self.init(.tooManyTries, "too many wrong answers", advice: "wait a little, then run the command again")
        case .boundPassword:
            self.init(.boundPassword, details.message ?? "wrong password", advice: details.advice ?? "")
        case .biometry:
            self.init(
                Self.fingerCode(details.kind), details.message ?? "no finger was recognised",
                advice: details.advice ?? "")
        case nil:
            self.init(.accountDenied, details.message ?? "authentication failed", advice: details.advice ?? "")
        }
    }

    /// - Parameter kind: what the authenticator says; nil from one of an earlier version.
    static func fingerCode(_ kind: String?) -> Code {
        switch kind.flatMap(Authentication.FingerRefusal.init(rawValue:)) {
        case .notEnrolled: .biometryNotEnrolled
        case .noReader, .notLookedFor, .unavailable: .biometryNotAvailable
        case .notRecognised, .otherFingers, nil: .biometryRefused
        }
    }

    /// The task that made the call was cancelled.
    package static var cancelledByTask: KeychainError {
        KeychainError(.cancelled, "the program cancelled the request", advice: "nothing was done")
    }

    /// The task that made a change was cancelled after the change was sent.
    static var outcomeUnknown: KeychainError {
        KeychainError(
            .outcomeUnknown, "the program cancelled a change that the broker has already, so it may have been made",
            advice: "look at the item before you repeat it")
    }

    static func untrustedAuthenticator(_ path: String, _ peer: PeerCredentials) -> KeychainError {
        KeychainError(
            .authenticatorUntrusted,
            "\(path) is served by uid \(peer.uid), not by root, so no password was asked for",
            advice: "find out whose process \(peer.pid) is")
    }

    /// Somebody serves a socket, and the kernel does not say here who it is. To start a server would help nobody.
    static func unnamedServer(of path: String, _ code: Code) -> KeychainError {
        KeychainError(
            code, "this program runs in a user namespace or a container, where it cannot see who serves \(path)",
            advice: "run it outside, and hand the secret in")
    }

    /// The person gave up.
    package static var cancelledByPerson: KeychainError {
        KeychainError(.cancelled, "cancelled", advice: "nothing was done")
    }
}
