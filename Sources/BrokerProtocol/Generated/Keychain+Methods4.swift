// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// Lists the items, sorted by service, then by account, then by kind. With the "more" flag each reply has one
    /// item. Without it, the answer is ExpectedMore if there are more items than one message has room for.
    public struct List: VarlinkMethod {
        public static let name = "org.coffer.Keychain.List"
        public typealias Reply = ItemsReply
        public var service: String?
        /// Only these accounts of the service, 32 at most. Accounts that have no item are left out.
        public var accounts: [String]?
        /// Only items of this kind. If it is left out, items of all kinds.
        public var kind: ItemKind?

        public init(service: String? = nil, accounts: [String]? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.accounts = accounts
            self.kind = kind
        }

        private static let jsonNames = ["accounts", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var accounts: [String]?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: accounts = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: service, accounts: accounts, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("accounts", accounts)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// Lists the items that have all of the attributes and contain the text. The order and the "more" flag are as for
    /// List.
    public struct Search: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Search"
        public typealias Reply = ItemsReply
        /// Service, account, label or comment contains it, in upper or lower case.
        public var text: String?
        public var attributes: [String: String]?
        /// As for List.
        public var kind: ItemKind?

        public init(text: String? = nil, attributes: [String: String]? = nil, kind: ItemKind? = nil) {
            self.text = text
            self.attributes = attributes
            self.kind = kind
        }

        private static let jsonNames = ["attributes", "kind", "text"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var text: String?
            var attributes: [String: String]?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: attributes = try reader.read()
                case 1: kind = try reader.read()
                default: text = try reader.read()
                }
            }
            self.init(text: text, attributes: attributes, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("attributes", attributes)
            writer.member("kind", kind)
            writer.member("text", text)
            writer.endObject()
        }
    }

    /// Tells what happens in the vault from now on. Without the "more" flag the answer is ExpectedMore. The first
    /// reply comes at once. It has no events, and every event after it is told. So call List after it, not before.
    /// Each further reply has some events, in the order in which they happened. A change is told when it is in the
    /// vault's file. A renamed item is deleted, and then added with the same id. The call has the right of List,
    /// which is checked before each reply. If the right has ended, so does the call. If the caller's own vault does
    /// not exist yet, the call waits for it. It is no use of the vault.
    public struct Monitor: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Monitor"
        /// Only items of this service. Events of the vault are always told.
        public var service: String?
        /// As for List.
        public var kind: ItemKind?

        public init(service: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.kind = kind
        }

        private static let jsonNames = ["kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: service, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var events: [Event]

            public init(events: [Event]) { self.events = events }

            private static let jsonNames = ["events"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var events: [Event]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { events = try reader.read() }
                self.init(events: try members.required(events, "events"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("events", events)
                writer.endObject()
            }
        }
    }

    /// Changes an item, but not its value. What is left out stays as it is. An empty label, comment or attribute
    /// value removes it. A change of access asks the person as reading does.
    public struct Edit: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Edit"
        public typealias Reply = ChangedItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        public var access: AccessControl?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        /// 0: never.
        public var expires: Int64?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// The one that reading takes, base64.
        public var applicationPassword: String?
        /// The one that access requires from now on, base64. It is left out if it stays the same.
        public var newApplicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, access: AccessControl? = nil, label: String? = nil,
            comment: String? = nil, attributes: [String: String]? = nil, expires: Int64? = nil, reason: String? = nil,
            unlock: Bool? = nil, applicationPassword: String? = nil, newApplicationPassword: String? = nil,
            challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.access = access
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.newApplicationPassword = newApplicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "access", "account", "applicationPassword", "attributes", "challenge", "comment", "expires", "kind",
            "label", "newApplicationPassword", "reason", "service", "unlock",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var access: AccessControl?
            var label: String?
            var comment: String?
            var attributes: [String: String]?
            var expires: Int64?
            var reason: String?
            var unlock: Bool?
            var applicationPassword: String?
            var newApplicationPassword: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: access = try reader.read()
                case 1: account = try reader.read()
                case 2: applicationPassword = try reader.read()
                case 3: attributes = try reader.read()
                case 4: challenge = try reader.read()
                case 5: comment = try reader.read()
                case 6: expires = try reader.read()
                case 7: kind = try reader.read()
                case 8: label = try reader.read()
                case 9: newApplicationPassword = try reader.read()
                case 10: reason = try reader.read()
                case 11: service = try reader.read()
                default: unlock = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, access: access, label: label, comment: comment, attributes: attributes, expires: expires,
                reason: reason, unlock: unlock, applicationPassword: applicationPassword,
                newApplicationPassword: newApplicationPassword, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("access", access)
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("attributes", attributes)
            writer.member("challenge", challenge)
            writer.member("comment", comment)
            writer.member("expires", expires)
            writer.member("kind", kind)
            writer.member("label", label)
            writer.member("newApplicationPassword", newApplicationPassword)
            writer.member("reason", reason)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.endObject()
        }
    }

    /// Gives one item a fresh key. Access, metadata and times stay the same. It asks the person as Get does. The
    /// value stays in the broker.
    public struct Rotate: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Rotate"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?
        /// As for Get.
        public var unlock: Bool?
        /// Base64. It is always given if the item has one, because the fresh key is sealed under it too.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String? = nil, kind: ItemKind? = nil, unlock: Bool? = nil,
            applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "account", "applicationPassword", "challenge", "kind", "service", "unlock",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
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
                case 4: service = try reader.read()
                default: unlock = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: account, kind: kind, unlock: unlock,
                applicationPassword: applicationPassword, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("challenge", challenge)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.endObject()
        }
    }

    /// Deletes an item.
    public struct Delete: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Delete"
        public typealias Reply = ChangedItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        /// As for Set.
        public var ifRevision: String?
        /// As for Apply.
        public var rollback: RollbackTime?

        public init(
            service: String, account: String, kind: ItemKind? = nil, ifRevision: String? = nil,
            rollback: RollbackTime? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.ifRevision = ifRevision
            self.rollback = rollback
        }

        private static let jsonNames = ["account", "ifRevision", "kind", "rollback", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var ifRevision: String?
            var rollback: RollbackTime?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: ifRevision = try reader.read()
                case 2: kind = try reader.read()
                case 3: rollback = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, ifRevision: ifRevision, rollback: rollback
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("ifRevision", ifRevision)
            writer.member("kind", kind)
            writer.member("rollback", rollback)
            writer.member("service", service)
            writer.endObject()
        }
    }
}
