import Glibc
import Platform
import XML

/// Why a store cannot be used. It names places that Coffer has names for, and nothing that somebody else called so.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable, CaseIterable {
        /// The store itself is not there.
        case missing
        case notAFolder
        case notPermitted
        /// Its file system can only be read.
        case readOnly
        /// There is no room, or no quota.
        case full
        /// A file is longer than Coffer writes one of its kind.
        case tooLarge
        /// A link, a pipe or a device is in the place of a file or folder, or one of these in that of the other.
        case strange
        /// A folder has more in it than a circle has.
        case tooMany
        /// git does not do what it should with the repository here.
        case repository
        /// The remote cannot be reached, or gives nothing.
        case notFetched
        /// The remote has not taken what was written.
        case notPushed
        /// A library that the store needs is not installed.
        case libraryMissing
        /// The server does not answer.
        case unreachable
        /// The server is not the one that it claims to be.
        case certificate
        /// It is busy, or is being mended.
        case busy
        /// It does not take the keys or the password.
        case refused
        /// The program that gives them does not.
        case credentials
        /// It does not take a request, because its clock and this machine's differ.
        case clock
        /// The store is at another address, or in another region.
        case moved
        /// The server's answer is not what was asked for.
        case notUnderstood
        case other
    }

    package let code: Code
    /// Where it happened, as people call it.
    package let path: String
    /// The call that failed; nil if none did.
    package let cause: SystemError?
    /// What git has to say about it.
    package let git: GitError?
    /// What a server has to say about it.
    package let remote: RemoteFailure?

    init(
        _ code: Code, at path: String, cause: SystemError? = nil, git: GitError? = nil, remote: RemoteFailure? = nil
    ) {
        (self.code, self.path, self.cause, self.git, self.remote) = (code, path, cause, git, remote)
    }

    /// A server's answer that cannot be read.
    init(_ error: XMLError, at path: String) {
        let failure = RemoteFailure(xml: error)
        self.init(failure.code, at: path, remote: failure)
    }

    /// The same error, as what it means here.
    func with(_ code: Code) -> StoreError { StoreError(code, at: path, cause: cause, git: git, remote: remote) }

    /// A call about something in the store.
    init(_ cause: SystemError, at path: String) { self.init(Self.code(of: cause.errno), at: path, cause: cause) }

    private static func code(of errno: Int32) -> Code {
        switch errno {
        case ENOENT: .missing
        case EACCES, EPERM: .notPermitted
        case EROFS: .readOnly
        case ENOSPC, EDQUOT: .full
        // A socket cannot be opened: ENXIO.
        case ENOTDIR, ELOOP, EISDIR, ENXIO: .strange
        default: .other
        }
    }

    /// The kernel's error number; 0 if the failure did not come from the kernel.
    package var errno: Int32 { cause?.errno ?? 0 }

    private var reason: String { git?.message ?? "no reason is known" }

    /// What happened, and what to do.
    package var description: String { "\(message). \(advice)." }

    /// What happened.
    package var message: String {
        if let words = remoteMessage { return words }
        return switch code {
        case .missing: "\(path) is missing"
        case .notAFolder: "\(path) is no folder"
        case .notPermitted: "You may not use \(path)"
        case .readOnly: "\(path) can only be read"
        case .full: "There is no room for \(path)"
        case .tooLarge: "\(path) is larger than Coffer makes it"
        case .strange: "\(path) is not the file or folder that Coffer keeps there"
        case .tooMany: "\(path) holds more than a circle has"
        case .repository: "\(path) cannot be used with git: \(reason)"
        case .notFetched: "What others gave out was not fetched to \(path): \(reason)"
        case .notPushed: "What is new in \(path) was not pushed: \(reason)"
        case .libraryMissing, .unreachable, .certificate, .busy, .refused, .credentials, .clock, .moved, .notUnderstood,
            .other:
            "\(path) cannot be used\(cause.map { ": \($0.reason)" } ?? "")"
        }
    }

    /// What to do.
    package var advice: String {
        if let words = remoteAdvice { return words }
        return switch code {
        case .missing: "Check its path, and connect the disk that has it; to begin sharing there, make the folder"
        case .notAFolder: "Choose a folder for the store"
        case .notPermitted: "Ask its owner to let you read and write there"
        case .readOnly: "Mount it so that it can be written, or choose another folder"
        case .full: "Free some space or quota, and try again"
        case .tooLarge, .strange: "Find out who writes there, and remove it"
        case .tooMany: "Find out who writes there, and remove what is not Coffer's"
        case .repository: git?.advice ?? "Look what git says there"
        case .notFetched: "It is fetched the next time"
        case .notPushed: "It is kept, and pushed the next time"
        case .libraryMissing, .unreachable, .certificate, .busy, .refused, .credentials, .clock, .moved, .notUnderstood,
            .other:
            "Look at its disk or network"
        }
    }
}
