import Coffer
import Glibc

/// The program's exit status. Scripts rely on these values.
enum ExitStatus: Int32, Error {
    case done = 0
    case failure = 1
    case notFound = 3
    case authentication = 4
    case locked = 5
    case notPermitted = 6
    case damaged = 7
    case tpm = 8
    case unreachable = 9
    case alreadyExists = 10
    case usage = 64

    init(_ code: KeychainError.Code) {
        self =
            switch code {
            case .notFound, .ambiguous: .notFound
            case .authenticationNeeded, .applicationPasswordNeeded, .applicationPasswordRefused, .wrongPassword,
                .boundPassword,
                .accountExpired, .accountDenied, .tooManyTries, .cancelled,
                .timedOut,
                .requestOutdated, .authenticationMisconfigured, .biometryRefused:
                .authentication
            case .locked: .locked
            case .notPermitted: .notPermitted
            case .damaged: .damaged
            case .tpmUnavailable, .tpmReplaced, .tpmLockout, .tpmRefused, .tpmExhausted, .tpmDeadline,
                .tpmTriesUsedUp, .tpmPasswordIndexGone, .tpmBootNotApproved, .tpmBootIndexGone, .tpmUnsupported,
                .tpmOther:
                .tpm
            case .brokerUnreachable, .brokerSilent, .authenticatorUnreachable, .authenticatorUntrusted: .unreachable
            case .alreadyExists: .alreadyExists
            case .invalidArgument: .usage
            case .limitExceeded, .protocolViolation, .failed: .failure
            }
    }

    func leave() -> Never { exit(rawValue) }
}
