import Cryptography

/// Why a vault did not do what it was asked. `reason` says what happened and what to do; no secret and no name of an item is in it.
public struct VaultError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The vault proved that there is no such item, or it expired.
        case notFound
        /// The account was left out and there are several.
        case ambiguous(accounts: [String])
        case alreadyExists
        /// The item is no longer the one that was looked at.
        case changed
        /// Rows that do not belong together, or not here.
        case damaged
        /// The file is not the one that the TPM has counted to: an older copy. Or what counts is gone.
        case rollback
        /// Nothing was done: the counter has to follow an earlier change first.
        case uncounted
        /// A newer Coffer wrote the file.
        case newerFormat
        case limitExceeded
        case invalidArgument
        /// A wrong application password, or a damaged item: the two look alike.
        case authenticationFailed
        /// Only fingers that are not enrolled any more open the item.
        case fingersChanged
        /// The key of the item's class is not there.
        case locked
        /// `cause` is a `SealerError`.
        case sealer
        /// The file system did not do its part: no room, no permission, another process.
        case storage
        /// There is no memory for keys just now. It says nothing of the vault.
        case outOfMemory
    }

    public let code: Code
    public let reason: String
    /// What was reported underneath, untouched.
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

    /// What sealing or unsealing met.
    init(_ error: SealerError) {
        switch error.code {
        case .damaged: self.init(.damaged, error.reason, cause: error)
        case .outOfMemory: self.init(.outOfMemory, error.reason, cause: error)
        default: self.init(.sealer, error.reason, cause: error)
        }
    }

    /// What only a program error, a lack of memory or a broken library can cause.
    init(_ error: CryptographyError) {
        guard error.code != .outOfMemory else {
            self.init(.outOfMemory, SealerError.noMemory, cause: error)
            return
        }
        self.init(.storage, "a cryptographic operation failed: \(error.reason)", cause: error)
    }
}
