import Circle
import Item

/// Whether an item is shared with other machines, and why not. It looks at the item alone.
enum TravelRule {
    /// Why an item stays on its machine.
    package enum Obstacle: String, Sendable, CaseIterable {
        /// It is for this device only, or of a class or with a requirement that implies it.
        case thisDeviceOnly = "this-device-only"
        /// It requires what other machines cannot ask for: an application password, or the present fingers.
        case gated
        /// It requires a person, and was set before the other machines were there. A person here has to release it.
        case toRelease = "to-release"
        /// It requires a person, and no machine has released it to this one yet.
        case notReleased = "not-released"
        /// Its requirements were changed on several machines at once. It has to be set again.
        case undecided
        /// A value is too long for a record.
        case tooLong = "too-long"
        /// Another item has its name here.
        case nameTaken = "name-taken"
        /// A value does not open, or its keys do not fit.
        case unreadable
        /// The vault is full.
        case noRoom = "no-room"
    }

    /// The longest sealed value that a record carries.
    static let longestValue = CircleLimits.body - 8192

    /// Whether another machine can require the same of its own person.
    static func canBeTakenOver(_ access: AccessControl) -> Bool {
        ValueClass(access) != nil && access.requirements.isSubset(of: Set(MemberKeys.guards))
    }

    /// - Returns: nil for an item that travels.
    static func obstacle(_ access: AccessControl) -> Obstacle? {
        if ValueClass(access) == nil { return .thisDeviceOnly }
        return access.requirements.isEmpty || canBeTakenOver(access) ? nil : .gated
    }
}
