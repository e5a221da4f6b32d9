/// An access control that contradicts itself.
public struct AccessControlError: Error, Sendable, Equatable, CustomStringConvertible {
    public let reason: String

    public var description: String { reason }
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
            throw AccessControlError(reason: "there is no such requirement")
        }
        guard !constraints.isSuperset(of: [.biometryAny, .biometryCurrentSet]) else {
            throw AccessControlError(
                reason: "“biometry” and “biometry-current-set” exclude each other: name one of them")
        }
        let count = constraints.rawValue.nonzeroBitCount
        guard count >= 2 || `operator` == .none else {
            throw AccessControlError(reason: "“and” and “or” join requirements: name two at least")
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
        let unknown = AccessControlError(reason: "not an access control of this format")
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
