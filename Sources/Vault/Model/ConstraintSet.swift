import Authorization

/// What a person must do before an item can be read. The file stores the raw value.
public struct ConstraintSet: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let presence = ConstraintSet(rawValue: 1 << 0)
    public static let biometryAny = ConstraintSet(rawValue: 1 << 1)
    public static let biometryCurrentSet = ConstraintSet(rawValue: 1 << 2)
    public static let passcode = ConstraintSet(rawValue: 1 << 3)
    public static let applicationPassword = ConstraintSet(rawValue: 1 << 4)

    static let all = ConstraintSet(rawValue: 0b1_1111)

    /// Each constraint by itself, lowest bit first. The file keeps everything in this order.
    var members: [ConstraintSet] {
        (0..<16).map { ConstraintSet(rawValue: 1 << $0) }.filter { contains($0) }
    }

    /// The constraint keys needed for reading, in order. The application password has no such key.
    public var roles: [ObjectRole] { members.compactMap(\.role) }

    /// The key of a single constraint.
    var role: ObjectRole? {
        switch self {
        case .presence: .presence
        case .biometryAny: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        case .passcode: .passcode
        default: nil
        }
    }
}

extension ConstraintSet: CustomStringConvertible {
    public var description: String {
        let names: [(ConstraintSet, String)] = [
            (.presence, "presence"), (.biometryAny, "biometry"), (.biometryCurrentSet, "biometry-current-set"),
            (.passcode, "passcode"), (.applicationPassword, "app-password"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

/// How several constraints are combined.
public enum ConstraintOperator: UInt8, Sendable, Hashable {
    /// There are fewer than two constraints.
    case none = 0
    case and = 1
    case or = 2
}
