// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import JSON
import Varlink

extension BrokerInterface {
    /// What the authenticator is to sign.
    public struct Authorization: JSONValue, Equatable {
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

        private static let jsonNames = ["kind", "point", "setDigest"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var kind: String?
            var setDigest: String?
            var point: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: kind = try reader.read()
                case 1: point = try reader.read()
                default: setDigest = try reader.read()
                }
            }
            self.init(
                kind: try members.required(kind, "kind"), setDigest: try members.required(setDigest, "setDigest"),
                point: point
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("kind", kind)
            writer.member("point", point)
            writer.member("setDigest", setDigest)
            writer.endObject()
        }
    }

    /// An item, as a person knows it.
    public struct NamedItem: JSONValue, Equatable {
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

        private static let jsonNames = ["account", "kind", "service", "version"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var version: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                case 2: service = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, version: version
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// What a lease is asked for, besides its items.
    public struct LeaseTerms: JSONValue, Equatable {
        /// How long it lasts.
        public var seconds: Int64
        /// The command that the process is about to run, in its own words.
        public var command: String?

        public init(seconds: Int64, command: String? = nil) {
            self.seconds = seconds
            self.command = command
        }

        private static let jsonNames = ["command", "seconds"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var seconds: Int64?
            var command: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: command = try reader.read()
                default: seconds = try reader.read()
                }
            }
            self.init(seconds: try members.required(seconds, "seconds"), command: command)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("command", command)
            writer.member("seconds", seconds)
            writer.endObject()
        }
    }

    /// Another open challenge of the same process. The same proof of a person answers it.
    public struct Companion: JSONValue, Equatable {
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

        private static let jsonNames = ["account", "digest", "kind", "reason", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var digest: String?
            var service: String?
            var account: String?
            var kind: ItemKind?
            var reason: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: digest = try reader.read()
                case 2: kind = try reader.read()
                case 3: reason = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(
                digest: try members.required(digest, "digest"), service: service, account: account, kind: kind,
                reason: reason
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("digest", digest)
            writer.member("kind", kind)
            writer.member("reason", reason)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// An index in the TPM. It counts the tries of a bound vault's password, or holds the approved boots.
    public struct PINIndex: JSONValue, Equatable {
        public var handle: Int64
        /// Base64, 32 bytes.
        public var policy: String

        public init(handle: Int64, policy: String) {
            self.handle = handle
            self.policy = policy
        }

        private static let jsonNames = ["handle", "policy"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var handle: Int64?
            var policy: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: handle = try reader.read()
                default: policy = try reader.read()
                }
            }
            self.init(handle: try members.required(handle, "handle"), policy: try members.required(policy, "policy"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("handle", handle)
            writer.member("policy", policy)
            writer.endObject()
        }
    }

    /// What a vault is tied to the boot by.
    public struct Tie: JSONValue, Equatable {
        public var index: PINIndex
        /// The registers that tell the boot.
        public var registers: [Int64]

        public init(index: PINIndex, registers: [Int64]) {
            self.index = index
            self.registers = registers
        }

        private static let jsonNames = ["index", "registers"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var index: PINIndex?
            var registers: [Int64]?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: index = try reader.read()
                default: registers = try reader.read()
                }
            }
            self.init(
                index: try members.required(index, "index"), registers: try members.required(registers, "registers")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("index", index)
            writer.member("registers", registers)
            writer.endObject()
        }
    }
}
