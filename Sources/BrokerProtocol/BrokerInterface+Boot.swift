import Varlink

extension BrokerInterface {
    /// The roots were released for this: the broker seals them anew, tied to the boot or to none, and keeps them, not yet in use. `Adopt` follows when the
    /// registry names them.
    public struct ResealForBoot: VarlinkMethod {
        public static let name = "org.coffer.Broker.ResealForBoot"
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        public struct Reply: Codable, Sendable, Equatable {
            /// The Names of the sealed objects, by their roles, 34 bytes each, for the registry.
            public var names: [String: String]
            /// nil where the vault is to be tied to no boot.
            public var boot: Tie?

            public init(names: [String: String], boot: Tie?) {
                self.names = names
                self.boot = boot
            }
        }
    }

    /// What a vault is tied to.
    public struct Tie: Codable, Sendable, Equatable {
        public var index: PINIndex
        public var registers: [Int64]

        public init(index: PINIndex, registers: [Int64]) {
            self.index = index
            self.registers = registers
        }
    }
}
