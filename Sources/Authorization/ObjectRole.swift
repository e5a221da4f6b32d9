/// The sealed objects and keys of a vault (docs/vault-format.md, "object" and "Signing keys of a circle").
public enum ObjectRole: UInt16, Sendable, Hashable, CaseIterable {
    case deviceRoot = 1
    case unlockRoot = 2
    case recovery = 3
    /// Signs the approvals of boots. Only in a vault that is tied to the boot.
    case approvingKey = 4
    /// Not a sealed object: the list of approved boots. The TPM holds its digest.
    case approvedBoots = 5
    case presence = 16
    case biometryAny = 17
    case biometryCurrentSet = 18
    case passcode = 19
    /// Signs the statements about the members of a circle.
    case membershipKey = 20
    /// Signs the heads of a device's stream in a circle.
    case streamKey = 21

    /// The roles that the vault's own file and the registry record can name. What a circle needs is kept elsewhere.
    ///
    /// - Returns: nil for any other number.
    public init?(ofVault number: UInt16) {
        guard let role = ObjectRole(rawValue: number), !Self.ofCircle.contains(role) else { return nil }
        self = role
    }

    /// What the authenticator must have signed for; nil if nobody is asked.
    public var authorization: AuthorizationKind? {
        switch self {
        case .deviceRoot, .approvedBoots, .streamKey: nil
        case .unlockRoot: .unlock
        case .recovery: .recovery
        case .approvingKey: .boot
        case .presence: .presence
        case .biometryAny: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        case .passcode: .passcode
        case .membershipKey: .circle
        }
    }

    /// Whether it is a P-256 key for agreement, and not sealed bytes.
    public var isAgreementKey: Bool { (16...19).contains(rawValue) }

    /// The objects that open only under an approved boot, if the vault is tied to the boot. The constraint keys do not
    /// need this. Their shared secrets are only part of an item's key; a class key is the other part, and the roots
    /// protect it.
    public static let tiedToBoot: [ObjectRole] = [.deviceRoot, .unlockRoot, .recovery]

    /// The objects that every new vault gets.
    public static let ofNewVault: [ObjectRole] = [
        .deviceRoot, .unlockRoot, .recovery, .presence, .biometryAny, .passcode,
    ]

    /// The keys with which a device of a circle signs. They are in no vault's table of objects and in no registry
    /// record.
    public static let ofCircle: [ObjectRole] = [.membershipKey, .streamKey]
}
