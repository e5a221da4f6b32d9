import Authorization

/// What it takes to read one version of one item.
public struct ReadPlan: Sendable, Hashable {
    /// One agreement that a constraint key has to make.
    public struct Agreement: Sendable, Hashable {
        public let role: ObjectRole
        /// The item's point, 65 bytes.
        public let point: [UInt8]
    }

    /// One way of reading; with “or” there are several.
    public struct Alternative: Sendable, Hashable {
        public let agreements: [Agreement]
        /// What the application password is stretched with; nil where none is needed.
        public let passwordSalt: [UInt8]?

        public var needsApplicationPassword: Bool { passwordSalt != nil }
    }

    public let item: ItemID
    public let version: UInt64
    public let accessibility: Accessibility
    /// One at least; the first is the one to prefer.
    public let alternatives: [Alternative]
}
