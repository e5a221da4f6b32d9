import Authorization
import Item

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
    public let accessibility: AccessControl.Accessibility
    /// At least one. The first is preferred.
    public let alternatives: [Alternative]
}
