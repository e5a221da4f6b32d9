/// The sealed objects and keys of a vault (docs/vault-format.md, "object").
public enum ObjectRole: UInt16, Sendable, Hashable, CaseIterable {
    case deviceRoot = 1
    case unlockRoot = 2
    case recovery = 3
    case presence = 16
    case biometryAny = 17
    case biometryCurrentSet = 18
    case passcode = 19

    /// What the authenticator must have signed for; nil for the device root, which needs no person.
    public var authorization: AuthorizationKind? {
        switch self {
        case .deviceRoot: nil
        case .unlockRoot: .unlock
        case .recovery: .recovery
        case .presence: .presence
        case .biometryAny: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        case .passcode: .passcode
        }
    }

    /// Whether it is a P-256 key for agreement, rather than sealed bytes.
    public var isAgreementKey: Bool { rawValue >= 16 }

    /// The objects that every vault is made with.
    public static let ofNewVault: [ObjectRole] = [
        .deviceRoot, .unlockRoot, .recovery, .presence, .biometryAny, .passcode,
    ]
}
