import Authorization
import Cryptography
import Item

/// What constraint keys have agreed on, by the point of the slot that it opens. No two values of a vault have the same
/// point, so nothing that was agreed on for one opens another.
public typealias Agreements = [[UInt8]: SecretBytes]

/// What is needed to read one version of an item: one field of it, or all.
public struct ReadPlan: Sendable, Hashable {
    /// A key agreement that a constraint key must carry out.
    public struct Agreement: Sendable, Hashable {
        public let role: ObjectRole
        /// The point of a field's slot, 65 bytes.
        public let point: [UInt8]
    }

    /// One way of reading. Items with the operator `or` have several.
    public struct Alternative: Sendable, Hashable {
        /// Those of all fields that are read.
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
