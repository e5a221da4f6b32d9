/// The sealed objects and keys of a vault (docs/vault-format.md, "object").
public enum ObjectRole: UInt16, Sendable, Hashable, CaseIterable {
    case deviceRoot = 1
    case unlockRoot = 2
    case recovery = 3
    /// Signs which boots are approved; only in a vault that is tied to the boot.
    case approvingKey = 4
    /// Nothing sealed: the list of approved boots, which the TPM holds the digest of.
    case approvedBoots = 5
    case presence = 16
    case biometryAny = 17
    case biometryCurrentSet = 18
    case passcode = 19

    /// What the authenticator must have signed for; nil for what needs no person.
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

    /// Whether it is a P-256 key for agreement, rather than sealed bytes.
    public var isAgreementKey: Bool { rawValue >= 16 }

    /// What opens under an approved boot only, where the vault is tied to the boot. The constraint keys do not: what they agree on is part of an item's key
    /// together with a class key, and that is under the roots.
    public static let tiedToBoot: [ObjectRole] = [.deviceRoot, .unlockRoot, .recovery]

    /// The objects that every vault is made with.
    public static let ofNewVault: [ObjectRole] = [
        .deviceRoot, .unlockRoot, .recovery, .presence, .biometryAny, .passcode,
    ]
}
