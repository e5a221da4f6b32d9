import Coffer
import Cryptography
import Glibc
import Platform

extension KeychainError {
    /// A system call about a file.
    init(file error: SystemError) {
        let (code, advice): (Code, String) =
            switch error.errno {
            case ENOENT: (.notFound, "")
            case ELOOP: (.notPermitted, "remove the link that is in the way")
            // The file may be a document, so the advice is not to remove it.
            case ENOTDIR: (.notPermitted, "choose another path: one of its folders is a file")
            case EACCES, EPERM, EROFS: (.notPermitted, "")
            case ENOTEMPTY, EEXIST: (.failed, "remove what is in it first")
            case ENOSPC, EDQUOT: (.failed, "free some space on the disk")
            case EINVAL, ENAMETOOLONG, EISDIR: (.invalidArgument, "")
            default: (.failed, "")
            }
        self.init(
            code, error.message, advice: error.advice.isEmpty ? advice : error.advice, cause: error.underlying)
    }

    init(cryptography error: CryptographyError) {
        self.init(.failed, error.reason, cause: error.openSSLCode == 0 ? nil : "openssl \(error.openSSLCode)")
    }

    /// The file is not what was written, or is not at the place for which it was written.
    static var damagedFile: KeychainError {
        KeychainError(
            .damaged, "the protected file was damaged, or moved by another program", advice: "restore it from a backup")
    }

    static func noFile(_ path: String) -> KeychainError {
        KeychainError(.notFound, "there is no file \(path)")
    }

    static func foreignFile(_ path: String) -> KeychainError {
        KeychainError(.damaged, "\(path) is not a protected file", advice: "choose another name")
    }
}

/// Runs system calls, and gives their errors as the library's.
/// - Parameter missing: the error if nothing has the path.
func filing<Value: ~Copyable>(
    missing: @autoclosure () -> KeychainError? = nil, _ body: () throws(SystemError) -> Value
) throws(KeychainError) -> Value {
    do throws(SystemError) { return try body() } catch {
        if error.isAbsent, let missing = missing() { throw missing }
        throw KeychainError(file: error)
    }
}

extension ConfinedFolder {
    /// - Returns: nil if there is no such folder.
    func folderUnlessMissing(_ name: String) throws(SystemError) -> ConfinedFolder? {
        do throws(SystemError) { return try folder(name) } catch {
            if error.isMissing { return nil }
            throw error
        }
    }
}

extension SystemError {
    /// Nothing has that name.
    var isMissing: Bool { errno == ENOENT }

    /// Nothing has that path: a name is missing, or a file is where a folder would have to be.
    var isAbsent: Bool { isMissing || errno == ENOTDIR }
}
