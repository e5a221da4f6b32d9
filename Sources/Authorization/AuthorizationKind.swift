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
