import CLinux
import Glibc

/// Whether a file can be run.
public enum ExecutableFile {
    /// Why it cannot.
    public enum Failure: Sendable, Equatable {
        case missing
        /// It is a folder, or this process may not execute it.
        case notExecutable
    }

    /// - Returns: nil if it can be run.
    public static func failure(of path: String) -> Failure? {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : .notExecutable
        }
        guard information.st_mode & S_IFMT == S_IFREG, unsafe access(path, X_OK) == 0 else { return .notExecutable }
        return nil
    }
}
