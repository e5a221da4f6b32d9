import Authorization

/// An access control that contradicts itself.
public struct AccessControlError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happened, for people.
    public let reason: String
    /// What to do about it, for people; empty if there is nothing to do.
    public let advice: String

    init(_ reason: String, advice: String = "") {
        self.reason = reason
        self.advice = advice
    }

    public var description: String { reason + (advice.isEmpty ? "" : "; \(advice)") }
}

/// Who can read an item, and when. Contradictory combinations cannot be made.
public struct AccessControl: Sendable, Hashable {
    /// The length of `encoded` in bytes.
    public static let encodedCount = 6

    public let accessibility: Accessibility
    /// Always true for the classes that imply it.
    public let thisDeviceOnly: Bool
    public let constraints: ConstraintSet
    /// `.none` with fewer than two constraints, otherwise `.and` or `.or`.
    public let `operator`: ConstraintOperator

    /// - Parameters:
    ///   - thisDeviceOnly: false is allowed for the classes that imply it. It means only that nobody asked for it.
    ///   - operator: `.none` means `.and` if there are two or more constraints.
    /// - Throws: for an operator with fewer than two constraints, for both biometric constraints at once, and for
    ///   unknown constraints.
    public init(
        accessibility: Accessibility = .whenUnlocked, thisDeviceOnly: Bool = false, constraints: ConstraintSet = [],
        operator: ConstraintOperator = .none
    ) throws(AccessControlError) {
        guard constraints.isSubset(of: .all) else {
            throw AccessControlError("there is no such requirement")
        }
        guard !constraints.isSuperset(of: [.biometryAny, .biometryCurrentSet]) else {
            throw AccessControlError(
                "“biometry” and “biometry-current-set” exclude each other", advice: "name one of them")
        }
        let count = constraints.rawValue.nonzeroBitCount
        guard count >= 2 || `operator` == .none else {
            throw AccessControlError("“and” and “or” join requirements", advice: "name at least two")
        }
        self.accessibility = accessibility
        self.thisDeviceOnly = thisDeviceOnly || accessibility.impliesThisDeviceOnly
        self.constraints = constraints
        self.operator = count >= 2 && `operator` == .none ? .and : `operator`
    }

    private init(_ accessibility: Accessibility) {
        self.accessibility = accessibility
        thisDeviceOnly = accessibility.impliesThisDeviceOnly
        constraints = []
        `operator` = .none
    }

    /// Readable while the vault is unlocked, without constraints.
    public static let whenUnlocked = AccessControl(.whenUnlocked)

    /// A class without constraints.
    public static func plain(_ accessibility: Accessibility) -> AccessControl { AccessControl(accessibility) }

    /// Six bytes (docs/vault-format.md, "item").
    public var encoded: [UInt8] {
        [
            1, accessibility.rawValue, thisDeviceOnly ? 1 : 0, `operator`.rawValue,
            UInt8(truncatingIfNeeded: constraints.rawValue >> 8), UInt8(truncatingIfNeeded: constraints.rawValue),
        ]
    }

    /// Parses six bytes. They must be exactly what `encoded` would return.
    ///
    /// - Throws: for anything else.
    public init(decoding bytes: [UInt8]) throws(AccessControlError) {
        let unknown = AccessControlError("this is not an access control of this format")
        guard bytes.count == Self.encodedCount, bytes[0] == 1, let accessibility = Accessibility(rawValue: bytes[1]),
            bytes[2] <= 1, let joined = ConstraintOperator(rawValue: bytes[3])
        else { throw unknown }
        try self.init(
            accessibility: accessibility, thisDeviceOnly: bytes[2] == 1,
            constraints: ConstraintSet(rawValue: UInt16(bytes[4]) << 8 | UInt16(bytes[5])), operator: joined)
        guard encoded == bytes else { throw unknown }
    }

    /// The constraints of each way of reading: with `.or` one way for each constraint, otherwise one way.
    var alternatives: [ConstraintSet] {
        `operator` == .or ? constraints.members : [constraints]
    }
}

/// The state of the vault in which an item can be read. The raw value is the class in the file.
public enum Accessibility: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case whenUnlocked = 1
    case afterFirstUnlock = 2
    /// Only in a vault that is bound to the login password, and on this device only.
    case passcodeSet = 3
    /// Also while the vault is locked, and on this device only.
    case always = 4

    public var description: String {
        switch self {
        case .whenUnlocked: "when-unlocked"
        case .afterFirstUnlock: "after-first-unlock"
        case .passcodeSet: "passcode-set"
        case .always: "always"
        }
    }

    /// Whether items of this class never leave this device, even if nobody asked for that.
    public var impliesThisDeviceOnly: Bool { self == .passcodeSet || self == .always }
}

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

/// What is needed to read one version of an item.
public struct ReadPlan: Sendable, Hashable {
    /// A key agreement that a constraint key must carry out.
    public struct Agreement: Sendable, Hashable {
        public let role: ObjectRole
        /// The item's point, 65 bytes.
        public let point: [UInt8]
    }

    /// One way of reading. Items with the operator `or` have several.
    public struct Alternative: Sendable, Hashable {
        public let agreements: [Agreement]
        /// The salt for stretching the application password; nil if no password is needed.
        public let passwordSalt: [UInt8]?

        public var needsApplicationPassword: Bool { passwordSalt != nil }
    }

    public let item: ItemID
    public let version: UInt64
    public let accessibility: Accessibility
    /// At least one. The first is preferred.
    public let alternatives: [Alternative]
}
