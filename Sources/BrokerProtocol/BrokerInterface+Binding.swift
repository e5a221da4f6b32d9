import Varlink

extension BrokerInterface {
    /// The TPM's kind for a password that is not the one that the vault is bound to.
    public static let wrongPassword = "wrong-password"

    /// An index in the TPM: the one that counts the tries of a bound vault's password, or the one of the approved boots.
    public struct PINIndex: Codable, Sendable, Equatable {
        public var handle: Int64
        /// 32 bytes.
        public var policy: String

        public init(handle: Int64, policy: String) {
            self.handle = handle
            self.policy = policy
        }
    }

    /// The unlock root was released for this: the broker makes another one and seals it, under a PIN or without, and keeps it, not yet in use. `Adopt`
    /// follows when the registry names it.
    public struct Reseal: VarlinkMethod {
        public static let name = "org.coffer.Broker.Reseal"
        public var challenge: String
        /// What the password was made into, 32 bytes; left out to bind the vault to none.
        public var pin: String?

        public init(challenge: String, pin: String?) {
            self.challenge = challenge
            self.pin = pin
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// The Name of the sealed root, 34 bytes, for the registry.
            public var name: String
            /// With a PIN.
            public var index: PINIndex?

            public init(name: String, index: PINIndex?) {
                self.name = name
                self.index = index
            }
        }
    }
}
