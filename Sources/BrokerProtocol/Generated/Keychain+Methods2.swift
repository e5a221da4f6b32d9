// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// Gives out an item's value.
    public struct Get: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Get"
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?
        /// Gives out the value of this version, which may be a former one. Reading that takes what it took then. If
        /// the item has no such value, or no longer, the answer is NotFound.
        public var version: Int64?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// If the vault is locked, the answer is a challenge that also opens it, instead of Locked.
        public var unlock: Bool?
        /// Base64. It is given if the item requires app-password. If any is set, giving it chooses this way, and
        /// leaving it out chooses the others.
        public var applicationPassword: String?
        /// The program asks for another one, as the Secret Service does. No lease of its own is used, and the access
        /// log says so.
        public var forOthers: Bool?
        public var challenge: String?

        public init(
            service: String, account: String? = nil, kind: ItemKind? = nil, version: Int64? = nil,
            reason: String? = nil, unlock: Bool? = nil, applicationPassword: String? = nil, forOthers: Bool? = nil,
            challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.version = version
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.forOthers = forOthers
            self.challenge = challenge
        }

        private static let jsonNames = [
            "account", "applicationPassword", "challenge", "forOthers", "kind", "reason", "service", "unlock",
            "version",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var version: Int64?
            var reason: String?
            var unlock: Bool?
            var applicationPassword: String?
            var forOthers: Bool?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: applicationPassword = try reader.read()
                case 2: challenge = try reader.read()
                case 3: forOthers = try reader.read()
                case 4: kind = try reader.read()
                case 5: reason = try reader.read()
                case 6: service = try reader.read()
                case 7: unlock = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: account, kind: kind, version: version,
                reason: reason, unlock: unlock, applicationPassword: applicationPassword, forOthers: forOthers,
                challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("challenge", challenge)
            writer.member("forOthers", forOthers)
            writer.member("kind", kind)
            writer.member("reason", reason)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.member("version", version)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Base64.
            public var value: String
            public var item: Item

            public init(value: String, item: Item) {
                self.value = value
                self.item = item
            }

            private static let jsonNames = ["item", "value"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var value: String?
                var item: Item?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: item = try reader.read()
                    default: value = try reader.read()
                    }
                }
                self.init(value: try members.required(value, "value"), item: try members.required(item, "item"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("item", item)
                writer.member("value", value)
                writer.endObject()
            }
        }
    }

    /// Gives out the values of several items, all or none. A person is asked once for all of them, and is shown every
    /// name. If one item cannot be given out, nothing is, and nobody is asked. The error's message names that item.
    /// No item may be named twice. An item that can be read only with an application password is refused
    /// (InvalidArgument). There are 32 items at most, and the answer must fit into one message. Otherwise the answer
    /// is LimitExceeded.
    public struct GetAll: VarlinkMethod {
        public static let name = "org.coffer.Keychain.GetAll"
        public var items: [ItemName]
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// As for Get.
        public var forOthers: Bool?
        /// It is good for these items in this order, each in the version that the person was asked for.
        public var challenge: String?

        public init(
            items: [ItemName], reason: String? = nil, unlock: Bool? = nil, forOthers: Bool? = nil,
            challenge: String? = nil
        ) {
            self.items = items
            self.reason = reason
            self.unlock = unlock
            self.forOthers = forOthers
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "forOthers", "items", "reason", "unlock"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var items: [ItemName]?
            var reason: String?
            var unlock: Bool?
            var forOthers: Bool?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: forOthers = try reader.read()
                case 2: items = try reader.read()
                case 3: reason = try reader.read()
                default: unlock = try reader.read()
                }
            }
            self.init(
                items: try members.required(items, "items"), reason: reason, unlock: unlock, forOthers: forOthers,
                challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("forOthers", forOthers)
            writer.member("items", items)
            writer.member("reason", reason)
            writer.member("unlock", unlock)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// In the order of the call.
            public var items: [ItemValue]

            public init(items: [ItemValue]) { self.items = items }

            private static let jsonNames = ["items"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var items: [ItemValue]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { items = try reader.read() }
                self.init(items: try members.required(items, "items"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("items", items)
                writer.endObject()
            }
        }
    }

    /// Grants the calling process and its descendants a lease: they read these items without a prompt for so long.
    /// The purpose is lease. The person is shown the items, the time, the program, the command and the reason. The
    /// authenticator signs for each read still, and only for these items in their present versions. The lease ends
    /// with its time, with the process, with a lock, with EndLeases, and when the broker or the machine starts again.
    /// An item that can be read only with an application password is refused (InvalidArgument). A locked vault is
    /// Locked. There are 32 items at most, as for GetAll.
    public struct Lease: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Lease"
        public var items: [ItemName]
        /// How long it lasts, from the person's answer on. It is at least 1, and at most what root allows
        /// (lease-limit).
        public var seconds: Int64
        /// The command that the process is about to run, in its own words.
        public var command: String?
        /// Why the program asks, in its own words.
        public var reason: String?
        public var challenge: String?

        public init(
            items: [ItemName], seconds: Int64, command: String? = nil, reason: String? = nil, challenge: String? = nil
        ) {
            self.items = items
            self.seconds = seconds
            self.command = command
            self.reason = reason
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "command", "items", "reason", "seconds"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var items: [ItemName]?
            var seconds: Int64?
            var command: String?
            var reason: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: command = try reader.read()
                case 2: items = try reader.read()
                case 3: reason = try reader.read()
                default: seconds = try reader.read()
                }
            }
            self.init(
                items: try members.required(items, "items"), seconds: try members.required(seconds, "seconds"),
                command: command, reason: reason, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("command", command)
            writer.member("items", items)
            writer.member("reason", reason)
            writer.member("seconds", seconds)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// It is absent if none of the items requires a person. Nobody was asked then, and no lease is needed.
            public var lease: LeaseState?

            public init(lease: LeaseState? = nil) { self.lease = lease }

            private static let jsonNames = ["lease"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var lease: LeaseState?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { lease = try reader.read() }
                self.init(lease: lease)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("lease", lease)
                writer.endObject()
            }
        }
    }

    /// Ends all leases that the caller's user has from this vault. It asks nobody.
    public struct EndLeases: VarlinkMethod {
        public static let name = "org.coffer.Keychain.EndLeases"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            /// How many there were.
            public var ended: Int64

            public init(ended: Int64) { self.ended = ended }

            private static let jsonNames = ["ended"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var ended: Int64?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { ended = try reader.read() }
                self.init(ended: try members.required(ended, "ended"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("ended", ended)
                writer.endObject()
            }
        }
    }
}
