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
        /// It belongs to the keys that the vault had before they were renewed. Nothing was changed.
        case keysRenewed
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
        /// There is no memory for keys or for SQLite at the moment. This tells nothing about the vault.
        case outOfMemory
    }

    public let code: Code
    /// What happened, for people.
    public let reason: String
    /// What to do about it, for people; empty if there is nothing to do.
    public let advice: String
    /// The underlying error, unchanged.
    public let cause: (any Error)?
    /// The item that alone is damaged, in its value, its fields or its former values. All other items can be used. nil
    /// if the damage may concern more.
    public let damagedItem: ItemName?

    public init(
        _ code: Code, _ reason: String, advice: String = "", cause: (any Error)? = nil, damagedItem: ItemName? = nil
    ) {
        self.code = code
        self.reason = reason
        self.advice = advice
        self.cause = cause
        self.damagedItem = damagedItem
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
            advice:
                "have root stop cofferd.socket and cofferd.service, restore it from a backup, and remove its -wal file",
            cause: cause)
    }

    /// Damage of one item's own rows, which the vault's tree has shown. It is never damage of the tree or the index.
    static func damaged(
        _ what: String, of item: ItemName, _ part: DamagedPart, cause: (any Error)? = nil
    ) -> VaultError {
        VaultError(.damaged, what, advice: part.advice, cause: cause, damagedItem: item)
    }

    /// What of an item is damaged.
    enum DamagedPart {
        case value
        case formerValue
        /// The row of its fields or of its former values. Only that row tells what else belongs to the item.
        case row

        fileprivate var advice: String {
            switch self {
            case .value:
                "its other fields, its former values (coffer history), another machine or an earlier copy of the "
                    + "vault's file may still have it; then set it again with: coffer set"
            case .formerValue: "nothing else is concerned, and it goes when its time has passed"
            case .row:
                "it can be neither set nor deleted; save the others with: coffer export --passphrase "
                    + "--skip-unreadable --output FILE; then have root stop cofferd.socket and cofferd.service, "
                    + "restore the vault from a backup, and remove its -wal file"
            }
        }
    }

    /// Damage that was found while a value's bytes were opened, without a look at any row, as damage of that item.
    func opening(_ value: ItemValue) -> VaultError {
        guard code == .damaged, damagedItem == nil else { return self }
        return .damaged("an item's value does not open", of: value.shownName, value.part, cause: self)
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
