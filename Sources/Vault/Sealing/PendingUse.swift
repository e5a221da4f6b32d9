import Authorization
import Cryptography

/// A use of a vault's object that needs the authenticator's signature.
public enum SignedUse: Sendable, Equatable {
    /// Opens the unlock root, the recovery key or the approving key, 32 bytes. The unlock root of a bound vault also
    /// needs the PIN.
    case open(ObjectRole)
    /// The shared secret of a constraint key and an item's point of 65 bytes: the X coordinate, 32 bytes.
    case agree(ObjectRole, point: [UInt8])

    /// The object.
    public var role: ObjectRole {
        switch self {
        case .open(let role), .agree(let role, _): role
        }
    }
}

/// A use that was begun and waits for its signature. It ends once: when it is finished, cancelled or released. Until
/// then it keeps the TPM open, so nobody else may use the TPM.
///
/// Calls are synchronous and may block, as those of a ``Sealer`` do.
public protocol PendingUse: Sendable {
    /// What the authenticator must sign.
    var request: SigningRequest { get }

    /// Shows the signature to the sealer, and uses the object. Whatever comes of it, the use has ended.
    ///
    /// - Parameters:
    ///   - signature: `r ‖ s`, 64 bytes.
    ///   - pin: 32 bytes; nil unless the vault is bound.
    /// - Returns: the secret that ``SignedUse`` names.
    /// - Throws: `.signingRefused` if the use had ended before, or if the PIN is missing; `.wrongPIN` with the tries
    ///   left, `.triesUsedUp`, `.pinIndexGone`.
    func finish(signature: [UInt8], pin: SecretBytes?) throws(SealerError) -> SecretBytes

    /// Ends the use without a signature, and leaves nothing in the TPM.
    func cancel()
}

extension SealerError {
    /// A use has one signature, and then it is over.
    static let useEnded = SealerError(.signingRefused, "this use of the sealer has ended")
}
