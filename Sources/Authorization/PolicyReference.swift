import Cryptography

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
public enum AuthorizationKind: String, Sendable, Codable, CaseIterable {
    case unlock
    case recovery
    case presence
    case biometryAny = "biometry-any"
    case biometryCurrentSet = "biometry-current-set"
    case passcode
    /// Approving other boots for a vault that is tied to the boot.
    case boot

    /// Whether it proves that a person allowed reading one item.
    public var isForReading: Bool {
        switch self {
        case .unlock, .recovery, .boot: false
        case .presence, .biometryAny, .biometryCurrentSet, .passcode: true
        }
    }

    /// Whether only a finger or a face can earn it.
    public var isBiometric: Bool { self == .biometryAny || self == .biometryCurrentSet }
}
