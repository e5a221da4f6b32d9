// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// Lists the values that an item had before, the newest first. It asks nobody.
    public struct History: VarlinkMethod {
        public static let name = "org.coffer.Keychain.History"
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        private static let jsonNames = ["account", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: try members.required(service, "service"), account: account, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var item: Item
            public var versions: [FormerVersion]

            public init(item: Item, versions: [FormerVersion]) {
                self.item = item
                self.versions = versions
            }

            private static let jsonNames = ["item", "versions"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var item: Item?
                var versions: [FormerVersion]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: item = try reader.read()
                    default: versions = try reader.read()
                    }
                }
                self.init(
                    item: try members.required(item, "item"), versions: try members.required(versions, "versions")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("item", item)
                writer.member("versions", versions)
                writer.endObject()
            }
        }
    }

    /// Makes a former value the item's present one, with the access control that it had. That is never looser than
    /// the present one. It asks the person as reading that value does. The present value becomes a former one, unless
    /// its access is looser.
    public struct Restore: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Restore"
        public typealias Reply = ChangedItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        /// If it is left out: the newest former value.
        public var version: Int64?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// Base64. It is always given if the former value has one, because it is sealed under it again.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, version: Int64? = nil, reason: String? = nil,
            unlock: Bool? = nil, applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.version = version
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "account", "applicationPassword", "challenge", "kind", "reason", "service", "unlock", "version",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var version: Int64?
            var reason: String?
            var unlock: Bool?
            var applicationPassword: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: applicationPassword = try reader.read()
                case 2: challenge = try reader.read()
                case 3: kind = try reader.read()
                case 4: reason = try reader.read()
                case 5: service = try reader.read()
                case 6: unlock = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, version: version, reason: reason, unlock: unlock, applicationPassword: applicationPassword,
                challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("challenge", challenge)
            writer.member("kind", kind)
            writer.member("reason", reason)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// Changes what the vault keeps of values that are replaced. What is left out stays. Values that are too many
    /// then are dropped at once.
    public struct SetHistory: VarlinkMethod {
        public static let name = "org.coffer.Keychain.SetHistory"
        /// 0 to 10.
        public var values: Int64?
        /// 0 to 366.
        public var days: Int64?

        public init(values: Int64? = nil, days: Int64? = nil) {
            self.values = values
            self.days = days
        }

        private static let jsonNames = ["days", "values"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var values: Int64?
            var days: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: days = try reader.read()
                default: values = try reader.read()
                }
            }
            self.init(values: values, days: days)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("days", days)
            writer.member("values", values)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var history: HistorySetting
            /// As for Set. It is about the former values that were dropped.
            public var protected: Bool?

            public init(history: HistorySetting, protected: Bool? = nil) {
                self.history = history
                self.protected = protected
            }

            private static let jsonNames = ["history", "protected"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var history: HistorySetting?
                var protected: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: history = try reader.read()
                    default: protected = try reader.read()
                    }
                }
                self.init(history: try members.required(history, "history"), protected: protected)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("history", history)
                writer.member("protected", protected)
                writer.endObject()
            }
        }
    }

    /// Withdraws a challenge, because the caller can have nobody asked. The access log then records the request at
    /// once, and not only when the challenge expires.
    public struct Withdraw: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Withdraw"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        private static let jsonNames = ["challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: try members.required(challenge, "challenge"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }
    }

    /// Tells whether an item exists.
    public struct Exists: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Exists"
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        private static let jsonNames = ["account", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: try members.required(service, "service"), account: account, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var exists: Bool

            public init(exists: Bool) { self.exists = exists }

            private static let jsonNames = ["exists"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var exists: Bool?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { exists = try reader.read() }
                self.init(exists: try members.required(exists, "exists"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("exists", exists)
                writer.endObject()
            }
        }
    }

    /// Returns an item without its value.
    public struct Show: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Show"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        private static let jsonNames = ["account", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: try members.required(service, "service"), account: account, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }
    }
}
