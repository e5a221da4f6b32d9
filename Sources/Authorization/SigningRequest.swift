import Cryptography

/// What the authenticator signs: one use of one object, in one session (TPM 2.0 Part 3, TPM2_PolicySigned, "aHash").
public struct SigningRequest: Hashable, Sendable {
    /// The session's nonce, 32 bytes. It makes the signature valid for this session only.
    public let nonce: [UInt8]
    /// The hash of the command and its parameters, 32 bytes. It makes the signature valid only for this object and,
    /// with a key, only for this item's point.
    public let parameterHash: [UInt8]
    public let reference: PolicyReference

    /// - Returns: nil unless nonce and hash have 32 bytes each. With other lengths, one could pass for the other, or
    ///   for nothing.
    public init?(nonce: [UInt8], parameterHash: [UInt8], reference: PolicyReference) {
        guard nonce.count == 32, parameterHash.count == 32 else { return nil }
        self.nonce = nonce
        self.parameterHash = parameterHash
        self.reference = reference
    }

    /// `nonce ‖ expiration 0 ‖ parameter hash ‖ policy reference`, 100 bytes.
    public func message() throws(CryptographyError) -> [UInt8] {
        nonce + [0, 0, 0, 0] + parameterHash + (try reference.digest())
    }
}

/// What a signature is valid for: one vault, one owner, one kind (docs/vault-format.md, "Authorization by the
/// authenticator").
public struct PolicyReference: Hashable, Sendable {
    public let vault: VaultID
    public let owner: Owner
    public let kind: AuthorizationKind
    /// The digest of the enrolled fingers for `biometry-current-set`; otherwise empty.
    public let setDigest: [UInt8]

    public init(vault: VaultID, owner: Owner, kind: AuthorizationKind, setDigest: [UInt8] = []) {
        self.vault = vault
        self.owner = owner
        self.kind = kind
        self.setDigest = setDigest
    }

    /// 32 bytes.
    public func digest() throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(
            LengthPrefixed.encode(
                Array("org.coffer.policy".utf8), [1], vault.bytes, Array(owner.text.utf8), Array(kind.rawValue.utf8),
                setDigest))
    }
}

/// What a signature of the authenticator is for. The raw value is the kind in a policy reference.
public enum AuthorizationKind: String, Sendable, CaseIterable {
    case unlock
    case recovery
    case presence
    case biometryAny = "biometry-any"
    case biometryCurrentSet = "biometry-current-set"
    case passcode
    /// Approving other boots for a vault that is tied to the boot.
    case boot
    /// Signing one statement about the members of a circle.
    case circle

    /// Whether it proves that a person allowed reading one item.
    public var isForReading: Bool {
        switch self {
        case .unlock, .recovery, .boot, .circle: false
        case .presence, .biometryAny, .biometryCurrentSet, .passcode: true
        }
    }

    /// Whether only a finger or a face can earn it.
    public var isBiometric: Bool { self == .biometryAny || self == .biometryCurrentSet }

    /// The object or key that the signature opens.
    public var role: ObjectRole {
        switch self {
        case .unlock: .unlockRoot
        case .recovery: .recovery
        case .presence: .presence
        case .biometryAny: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        case .passcode: .passcode
        case .boot: .approvingKey
        case .circle: .membershipKey
        }
    }
}
