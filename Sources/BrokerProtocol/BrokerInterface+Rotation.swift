import Varlink

extension BrokerInterface {
    /// An item, as a person knows it.
    public struct NamedItem: Codable, Sendable, Equatable {
        public var service: String
        public var account: String

        public init(service: String, account: String) {
            self.service = service
            self.account = account
        }
    }

    /// The person said yes to renewing all keys, and the vault is open: the broker makes the successor, or goes on with the one that an earlier conversation
    /// began. The items' signatures follow, then `Succeed`.
    public struct Renew: VarlinkMethod {
        public static let name = "org.coffer.Broker.Renew"
        public typealias Reply = Nothing
        public var challenge: String
        /// The key that the successor is to trust, 65 bytes.
        public var authenticatorKey: String
        /// Of a bound vault: what the password was made into, 32 bytes, with this salt (16 bytes).
        public var pin: String?
        public var salt: String?

        public init(challenge: String, authenticatorKey: String, pin: String? = nil, salt: String? = nil) {
            self.challenge = challenge
            self.authenticatorKey = authenticatorKey
            self.pin = pin
            self.salt = salt
        }
    }

    /// Everything that could be signed for is: the broker fills the successor. With a record in the answer it is complete, and waits: the signature for its own
    /// opening follows, as authorization 0 (`unlock`), and then, when the registry names it, `Adopt`. Without one there are items left for another
    /// conversation, and this one is over.
    public struct Succeed<Record: Codable & Sendable>: VarlinkMethod {
        public static var name: String { "org.coffer.Broker.Succeed" }
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        public struct Reply: Codable, Sendable {
            public var record: Record?

            public init(record: Record?) { self.record = record }
        }
    }
}
