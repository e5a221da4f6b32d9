import Circle
import Item

/// Whether an item is shared with other machines, and why not. It looks at the item alone.
enum TravelRule {
    /// Why an item stays on its machine.
    package enum Obstacle: String, Sendable, CaseIterable {
        /// It is for this device only, or of a class or with a requirement that implies it.
        case thisDeviceOnly = "this-device-only"
        /// It requires a person.
        case gated
        /// A value is too long for a record.
        case tooLong = "too-long"
        /// Another item has its name here.
        case nameTaken = "name-taken"
        /// A value does not open, or its keys do not fit.
        case unreadable
    }

    /// The longest sealed value that a record carries.
    static let longestValue = CircleLimits.body - 8192

    /// Whether another machine can require the same of its own person, with the value that it has.
    static func canBeTakenOver(_ access: AccessControl) -> Bool {
        ValueClass(access) != nil && access.requirements.isSubset(of: [.userPresence, .biometryAny, .devicePasscode])
    }

    /// - Returns: nil for an item that travels.
    static func obstacle(_ access: AccessControl) -> Obstacle? {
        if ValueClass(access) == nil { return .thisDeviceOnly }
        return access.requirements.isEmpty ? nil : .gated
    }
}
