/// The sealed objects and keys of a vault (docs/vault-format.md, "object").
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

    /// What the authenticator must have signed for; nil if nobody is asked.
    public var authorization: AuthorizationKind? {
        switch self {
        case .deviceRoot, .approvedBoots: nil
        case .unlockRoot: .unlock
        case .recovery: .recovery
        case .approvingKey: .boot
        case .presence: .presence
        case .biometryAny: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        case .passcode: .passcode
        }
    }

    /// Whether it is a P-256 key for agreement, and not sealed bytes.
    public var isAgreementKey: Bool { rawValue >= 16 }

    /// The objects that open only under an approved boot, if the vault is tied to the boot. The constraint keys do not
    /// need this. Their shared secrets are only part of an item's key; a class key is the other part, and the roots
    /// protect it.
    public static let tiedToBoot: [ObjectRole] = [.deviceRoot, .unlockRoot, .recovery]

    /// The objects that every new vault gets.
    public static let ofNewVault: [ObjectRole] = [
        .deviceRoot, .unlockRoot, .recovery, .presence, .biometryAny, .passcode,
    ]
}
