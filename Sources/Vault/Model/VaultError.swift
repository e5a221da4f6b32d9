import Cryptography

/// Why a vault refused or failed. `reason` tells what happened and what to do. It holds no secret and no item's name.
public struct VaultError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The vault proved that there is no such item, or the item has expired.
        case notFound
        /// The request named no account, and the service has several.
        case ambiguous(accounts: [String])
        case alreadyExists
        /// The item changed since the caller looked at it.
        case changed
        /// Rows do not belong together, or not to this vault.
        case damaged
        /// The file is not the one that the TPM has counted, so it is an older copy. Or the counter is gone.
        case rollback
        /// Nothing was changed, because the counter must follow an earlier change first.
        case uncounted
        /// A newer Coffer wrote the file.
        case newerFormat
        case limitExceeded
        case invalidArgument
        /// The application password is wrong or the item is damaged. The two cannot be told apart.
        case authenticationFailed
        /// Only fingers that are no longer enrolled could open the item.
        case fingersChanged
        /// The key of the item's class is missing.
        case locked
        /// `cause` is a `SealerError`.
        case sealer
        /// The file system failed: no space, no permission, or another process holds the file.
        case storage
        /// There is no memory for keys at the moment. This tells nothing about the vault.
        case outOfMemory
    }

    public let code: Code
    public let reason: String
    /// The underlying error, unchanged.
    public let cause: (any Error)?

    public init(_ code: Code, _ reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }

    public var description: String { cause.map { "\(reason) (\($0))" } ?? reason }

    static func damaged(_ what: String, cause: (any Error)? = nil) -> VaultError {
        VaultError(.damaged, "the vault is damaged: \(what); restore it from a backup", cause: cause)
    }

    /// Translates an error of the sealer.
    init(_ error: SealerError) {
        switch error.code {
        case .damaged: self.init(.damaged, error.reason, cause: error)
        case .outOfMemory: self.init(.outOfMemory, error.reason, cause: error)
        default: self.init(.sealer, error.reason, cause: error)
        }
    }

    /// Translates an error that only a bug, a lack of memory or a broken library can cause.
    init(_ error: CryptographyError) {
        guard error.code != .outOfMemory else {
            self.init(.outOfMemory, SealerError.noMemory, cause: error)
            return
        }
        self.init(.storage, "a cryptographic operation failed: \(error.reason)", cause: error)
    }
}
