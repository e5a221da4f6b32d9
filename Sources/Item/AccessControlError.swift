/// How an access control contradicts itself.
///
/// ```swift
/// do {
///     _ = try AccessControl(requirements: [.biometryAny, .biometryCurrentSet])
/// } catch {
///     print(error)
/// }
/// ```
public enum AccessControlError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It requires any finger, and one of those that are enrolled now.
    case bothBiometries
    /// One requirement should be enough, and there are fewer than two.
    case joinsTooFew
    /// All of some requirements, and one of others.
    case isMixed
    /// A list names a requirement twice.
    case namedTwice
    /// The bytes of a file are no access control.
    case unknown

    init?(in requirements: Set<AccessControl.Requirement>, anyIsEnough: Bool) {
        if requirements.isSuperset(of: [.biometryAny, .biometryCurrentSet]) {
            self = .bothBiometries
        } else if anyIsEnough, requirements.count < 2 {
            self = .joinsTooFew
        } else {
            return nil
        }
    }

    /// What happened, for people.
    public var reason: String {
        switch self {
        case .bothBiometries: "“biometry” and “biometry-current-set” exclude each other"
        case .joinsTooFew: "“and” and “or” join requirements"
        case .isMixed: "an access control takes all of its requirements, or any one of them"
        case .namedTwice: "a requirement is named twice"
        case .unknown: "this is not an access control of this format"
        }
    }

    /// What to do about it, for people; empty if there is nothing to do.
    public var advice: String {
        switch self {
        case .bothBiometries: "name one of them"
        case .joinsTooFew: "name at least two"
        case .isMixed: "name them all at once"
        case .namedTwice, .unknown: ""
        }
    }

    /// Both, as one line.
    public var description: String { reason + (advice.isEmpty ? "" : "; \(advice)") }
}
