extension Keychain.Event {
    /// What happened in a vault.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// An item, which the event names.
        case added, updated, deleted
        /// The vault.
        case locked, unlocked
        /// Events are left out here.
        case missed

        /// Takes a kind that this version does not know for ``missed``, because what it tells is missed.
        public init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .missed
        }
    }
}
