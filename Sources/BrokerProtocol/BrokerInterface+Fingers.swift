import Varlink

extension BrokerInterface {
    /// A key for enrolled fingers is needed: the broker makes it unless it has it, and keeps it, not yet in use. `Adopt` follows when the registry names it.
    public struct ProvideKey: VarlinkMethod {
        public static let name = "org.coffer.Broker.ProvideKey"
        public var challenge: String
        /// `biometry-current-set`.
        public var kind: String
        /// 32 bytes.
        public var setDigest: String

        public init(challenge: String, kind: String, setDigest: String) {
            self.challenge = challenge
            self.kind = kind
            self.setDigest = setDigest
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// The key's Name, 34 bytes, for the registry.
            public var name: String

            public init(name: String) { self.name = name }
        }
    }
}
