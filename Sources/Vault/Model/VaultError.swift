import Cryptography
import Item
import Platform
import SQLite

/// Why a vault refused or failed. Its words hold no secret and no item's name.
public struct VaultError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The vault proved that there is no such item, or the item has expired.
        case notFound
        /// The request named no account, and the service has several.
        case ambiguous(accounts: [String])
        /// The item has other fields than the one that was asked for.
        case noField(fields: [String])
        case alreadyExists
        /// The item changed between two steps of one operation.
        case changed
        /// The item is not in the state that the caller has named.
        case outdated
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
        /// Another file, or none, is in the place of the vault's open one. Nothing was changed.
        case replaced
        /// There is no memory for keys at the moment. This tells nothing about the vault.
        case outOfMemory
    }

    public let code: Code
    /// What happened, for people.
    public let reason: String
    /// What to do about it, for people; empty if there is nothing to do.
    public let advice: String
    /// The underlying error, unchanged.
    public let cause: (any Error)?

    public init(_ code: Code, _ reason: String, advice: String = "", cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.advice = advice
        self.cause = cause
    }

    /// The error below, as the wire names causes: a word and its own number. It names no file, row or secret.
    public var underlying: String? {
        switch cause {
        case let error as SealerError: error.underlying
        case let error as SystemError: error.underlying
        case let error as SQLiteError: "sqlite \(error.code)"
        case let error as VaultError: error.underlying
        default: nil
        }
    }

    public var description: String {
        (cause.map { "\(reason) (\($0))" } ?? reason) + (advice.isEmpty ? "" : "; \(advice)")
    }

    static func damaged(_ what: String, cause: (any Error)? = nil) -> VaultError {
        VaultError(
            .damaged, "the vault is damaged: \(what)",
            advice: "have root stop cofferd.socket and cofferd.service, and restore it from a backup", cause: cause)
    }

    /// Translates an error of the sealer.
    init(_ error: SealerError) {
        let code: Code =
            switch error.code {
            case .damaged: .damaged
            case .outOfMemory: .outOfMemory
            default: .sealer
            }
        self.init(code, error.reason, advice: error.advice, cause: error)
    }

    /// An access control that contradicts itself.
    init(_ error: AccessControlError) { self.init(.invalidArgument, error.reason, advice: error.advice) }

    /// What an item cannot have.
    init(_ error: ItemLimitError) {
        self.init(error.isExcess ? .limitExceeded : .invalidArgument, error.reason, advice: error.advice)
    }

    /// Translates an error that only a bug, a lack of memory or a broken library can cause.
    init(_ error: CryptographyError) {
        guard error.code != .outOfMemory else {
            self.init(.outOfMemory, SealerError.noMemory, advice: SealerError.tryAgain, cause: error)
            return
        }
        self.init(.storage, "a cryptographic operation failed: \(error.reason)", cause: error)
    }
}
