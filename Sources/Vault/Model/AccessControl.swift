/// An access control that contradicts itself.
public struct AccessControlError: Error, Sendable, Equatable, CustomStringConvertible {
    public let reason: String

    public var description: String { reason }
}

/// Who can read an item, and when. One that contradicts itself cannot be made.
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
    ///   - thisDeviceOnly: false also for the classes that imply it: it says only that nobody asked.
    ///   - operator: two or more constraints without one mean `.and`.
    /// - Throws: for an operator with nothing to join, both biometric constraints at once, or constraints that do not exist.
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

    /// Readable while the vault is unlocked, and nothing else.
    public static let whenUnlocked = AccessControl(.whenUnlocked)

    /// Nothing but a class.
    public static func plain(_ accessibility: Accessibility) -> AccessControl { AccessControl(accessibility) }

    /// Six bytes (docs/vault-format.md, "item").
    public var encoded: [UInt8] {
        [
            1, accessibility.rawValue, thisDeviceOnly ? 1 : 0, `operator`.rawValue,
            UInt8(truncatingIfNeeded: constraints.rawValue >> 8), UInt8(truncatingIfNeeded: constraints.rawValue),
        ]
    }

    /// Reads six bytes; only those that `encoded` would give.
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

    /// What has to be met for each way of reading: one way, or with `.or` one for each constraint.
    var alternatives: [ConstraintSet] {
        `operator` == .or ? constraints.members : [constraints]
    }
}
