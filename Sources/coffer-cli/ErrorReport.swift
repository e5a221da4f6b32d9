import Coffer
import FoundationEssentials
import Glibc
import Platform

/// Reports an error as one line, or with `--json` as one object.
struct ErrorReport {
    let asJSON: Bool

    private struct Report: Encodable {
        var code: String
        var message: String
        var advice: String?
        var accounts: [String]?
        var tpmCode: Int64?
        var cause: String?
        var exit: Int32
    }

    func show(_ error: KeychainError) -> ExitStatus {
        let status = ExitStatus(error.code)
        if asJSON {
            show(
                Report(
                    code: error.code.rawValue, message: error.message,
                    advice: error.advice.isEmpty ? nil : error.advice,
                    accounts: error.accounts.isEmpty ? nil : error.accounts,
                    tpmCode: error.tpmCode == 0 ? nil : error.tpmCode, cause: error.cause,
                    exit: status.rawValue))
        } else {
            Output.note("coffer: \(VisibleText.sentence(error.description))")
        }
        return status
    }

    func show(_ failure: CommandFailure) -> ExitStatus {
        if asJSON {
            show(
                Report(
                    code: failure.code, message: failure.message, advice: failure.advice, exit: failure.status.rawValue)
            )
        } else {
            Output.note("coffer: \(VisibleText.sentence("\(failure.message); \(failure.advice)"))")
        }
        return failure.status
    }

    /// Reports a command line that this program does not accept.
    /// - Parameter command: the subcommand, if it is known.
    func showUsage(_ message: String, command: String?) -> ExitStatus {
        let line = Self.line(of: message)
        let help = "coffer help" + (command.map { " \($0)" } ?? "")
        if asJSON {
            show(Report(code: "usage", message: line, advice: "see: \(help)", exit: ExitStatus.usage.rawValue))
        } else {
            Output.note("coffer: \(VisibleText.sentence(line)); see: \(help)")
        }
        return .usage
    }

    /// One line. A list of choices, one below the other, becomes one with commas.
    static func line(of message: String) -> String {
        var text = ""
        var isList = false
        for part in message.split(separator: "\n").map({ $0.trimmingPrefix { $0 == " " } }) {
            let isChoice = part.hasPrefix("- ")
            text += (text.isEmpty ? "" : isChoice && isList ? ", " : " ") + (isChoice ? part.dropFirst(2) : part)
            isList = isChoice
        }
        return text
    }

    private func show(_ report: Report) {
        do {
            Output.note(try JSONText.of(report, pretty: false))
        } catch {
            Output.note("coffer: \(VisibleText.sentence(report.message))")
        }
    }
}

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
    /// As in a shell: the command of `coffer run` is there, but cannot be run.
    case commandNotRunnable = 126
    /// As in a shell: there is no such command.
    case commandNotFound = 127

    init(_ code: KeychainError.Code) {
        self =
            switch code {
            case .notFound, .ambiguous: .notFound
            case .authenticationNeeded, .applicationPasswordNeeded, .applicationPasswordRefused, .wrongPassword,
                .boundPassword,
                .accountExpired, .accountDenied, .tooManyTries, .cancelled,
                .timedOut,
                .requestOutdated, .authenticationMisconfigured, .biometryRefused, .biometryNotEnrolled,
                .biometryNotAvailable:
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
            case .changedMeanwhile, .limitExceeded, .protocolViolation, .notText, .notDecodable, .failed,
                .outcomeUnknown:
                .failure
            }
    }

    func leave() -> Never {
        // Everything is cleaned up and said.
        if self == .authentication, Terminal.isInterrupted { SignalEnd.interrupt() }
        exit(rawValue)
    }
}

/// A failure that has nothing to do with secrets.
struct CommandFailure: Error, Equatable {
    /// The kind of failure. It is part of the machine-readable output and never changes.
    let code: String
    let message: String
    let advice: String
    let status: ExitStatus
    /// After how many seconds a server wants to be asked again.
    var retryAfter: Int64?
}
