import Authorization
import Cryptography
import Vault

/// A renewal of all keys that is under way: the successor, and the state of filling it (docs/rotation.md).
struct Renewal: Sendable {
    let successor: OpenVault
    var succession: Succession
    /// The challenge that fills it; nil if an earlier session left it behind.
    var challenge: Challenge.ID?
    /// What the constraint keys agreed on for an item, until all of its signatures are there.
    var agreements: [ItemID: [ObjectRole: SecretBytes]] = [:]
    /// The connection over which the authenticator got the record. Until that connection ends, the registry may name
    /// the successor at any moment.
    var offer: UInt64?
    /// The successor's own keys, once a signature has opened it.
    var keys: ClassKeys?
}

/// The outcome of an authenticator session for a renewal.
struct RenewalOutcome: Sendable, Equatable {
    /// nil if items are left.
    let items: Int?
    let isRevoked: Bool
}

/// An application password, stretched for reading an item and for storing it again.
struct RenewedPassword: Sendable {
    let reading: StretchedPassword
    let storing: StretchedPassword
}
