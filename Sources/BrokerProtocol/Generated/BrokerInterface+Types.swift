// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import Varlink

extension BrokerInterface {
    /// What the authenticator is to sign.
    public struct Authorization: Codable, Sendable, Equatable {
        /// The policy reference's kind: unlock, presence, recovery, boot, and so on.
        public var kind: String
        /// The digest of the enrolled fingers, base64. It is empty but for biometry-current-set.
        public var setDigest: String
        /// The point that an item's key is agreed on with, base64. No other version of any item has it. It is absent
        /// where no item is read.
        public var point: String?

        public init(kind: String, setDigest: String = "", point: String? = nil) {
            self.kind = kind
            self.setDigest = setDigest
            self.point = point
        }
    }

    /// An item, as a person knows it.
    public struct NamedItem: Codable, Sendable, Equatable {
        public var service: String
        public var account: String
        /// It is absent if that is generic.
        public var kind: ItemKind?
        /// Its former value of this version is meant, and not its present one.
        public var version: Int64?

        public init(service: String, account: String, kind: ItemKind? = nil, version: Int64? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
            self.version = version
        }
    }

    /// What a lease is asked for, besides its items.
    public struct LeaseTerms: Codable, Sendable, Equatable {
        /// How long it lasts.
        public var seconds: Int64
        /// The command that the process is about to run, in its own words.
        public var command: String?

        public init(seconds: Int64, command: String? = nil) {
            self.seconds = seconds
            self.command = command
        }
    }

    /// Another open challenge of the same process. The same proof of a person answers it.
    public struct Companion: Codable, Sendable, Equatable {
        /// SHA-256 of the challenge, hex.
        public var digest: String
        public var service: String?
        public var account: String?
        /// As for Describe.
        public var kind: ItemKind?
        public var reason: String?

        public init(
            digest: String, service: String? = nil, account: String? = nil, kind: ItemKind? = nil, reason: String? = nil
        ) {
            self.digest = digest
            self.service = service
            self.account = account
            self.kind = kind
            self.reason = reason
        }
    }

    /// An index in the TPM. It counts the tries of a bound vault's password, or holds the approved boots.
    public struct PINIndex: Codable, Sendable, Equatable {
        public var handle: Int64
        /// Base64, 32 bytes.
        public var policy: String

        public init(handle: Int64, policy: String) {
            self.handle = handle
            self.policy = policy
        }
    }

    /// What a vault is tied to the boot by.
    public struct Tie: Codable, Sendable, Equatable {
        public var index: PINIndex
        /// The registers that tell the boot.
        public var registers: [Int64]

        public init(index: PINIndex, registers: [Int64]) {
            self.index = index
            self.registers = registers
        }
    }
}
