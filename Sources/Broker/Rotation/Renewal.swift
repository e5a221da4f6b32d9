import Authorization
import Cryptography
import Vault

/// A renewal of all keys that is under way: the successor, and what is there to fill it (docs/rotation.md).
struct Renewal: Sendable {
    let successor: OpenVault
    var succession: Succession
    /// Whose conversation fills it; nil for one that an earlier one has left.
    var challenge: Challenge.ID?
    /// What the constraint keys agreed on, until an item's way is complete.
    var agreements: [ItemID: [ObjectRole: SecretBytes]] = [:]
    /// The connection over which an authenticator was given the record: until it is gone the registry may name the successor at any moment.
    var offer: UInt64?
    /// The successor's own, once a signature has opened it.
    var keys: ClassKeys?
}

/// What became of a renewal's conversation.
struct RenewalOutcome: Sendable, Equatable {
    /// nil: there are items left.
    let items: Int?
    let isRevoked: Bool
}

/// An application password, stretched to read an item and to store it anew.
struct RenewedPassword: Sendable {
    let reading: StretchedPassword
    let storing: StretchedPassword
}
