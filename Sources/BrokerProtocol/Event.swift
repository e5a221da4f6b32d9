import JSON

extension Keychain.Event {
    /// What happened in a vault.
    public enum Kind: String, JSONValue, CaseIterable {
        /// An item, which the event names.
        case added, updated, deleted
        /// The vault.
        case locked, unlocked
        /// Events are left out here.
        case missed

        /// Takes a kind that this version does not know for ``missed``, because what it tells is missed.
        public init(from reader: inout JSONReader) throws(JSONFailure) {
            self = Self(rawValue: try reader.string()) ?? .missed
        }
    }
}
