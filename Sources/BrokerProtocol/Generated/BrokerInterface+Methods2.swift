// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import Varlink

extension BrokerInterface {
    /// Ends all leases of this uid, because the authenticator has forgotten them.
    public struct EndLeases: VarlinkMethod {
        public static let name = "org.coffer.Broker.EndLeases"
        public typealias Reply = Nothing
        public var uid: Int64

        public init(uid: Int64) { self.uid = uid }
    }

    /// The person failed or gave up.
    public struct Refuse: VarlinkMethod {
        public static let name = "org.coffer.Broker.Refuse"
        public typealias Reply = Nothing
        public var challenge: String
        /// It is password, expired, denied, tries, biometry, unavailable, cancelled, timeout or other.
        public var reason: String

        public init(challenge: String, reason: String) {
            self.challenge = challenge
            self.reason = reason
        }
    }
}
