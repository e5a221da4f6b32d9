// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// What Show, Rotate and Rename reply.
    public struct ItemReply: JSONValue, Equatable {
        public var item: Item

        public init(item: Item) { self.item = item }

        private static let jsonNames = ["item"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: Item?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { item = try reader.read() }
            self.init(item: try members.required(item, "item"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("item", item)
            writer.endObject()
        }
    }

    /// What Edit, Delete and Restore reply.
    public struct ChangedItemReply: JSONValue, Equatable {
        public var item: Item
        /// As for Set.
        public var protected: Bool?

        public init(item: Item, protected: Bool? = nil) {
            self.item = item
            self.protected = protected
        }

        private static let jsonNames = ["item", "protected"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: Item?
            var protected: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: item = try reader.read()
                default: protected = try reader.read()
                }
            }
            self.init(item: try members.required(item, "item"), protected: protected)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("item", item)
            writer.member("protected", protected)
            writer.endObject()
        }
    }

    /// What List and Search reply.
    public struct ItemsReply: JSONValue, Equatable {
        public var items: [Item]

        public init(items: [Item]) { self.items = items }

        private static let jsonNames = ["items"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var items: [Item]?
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

    /// What Lock, Unlock, CreateVault and AcceptVault reply.
    public struct VaultReply: JSONValue, Equatable {
        public var vault: VaultState

        public init(vault: VaultState) { self.vault = vault }

        private static let jsonNames = ["vault"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var vault: VaultState?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { vault = try reader.read() }
            self.init(vault: try members.required(vault, "vault"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("vault", vault)
            writer.endObject()
        }
    }

    /// What Boot, TieToBoot and ApproveBoot reply.
    public struct BootReply: JSONValue, Equatable {
        /// It is absent if the vault is not tied to the boot.
        public var boot: BootState?

        public init(boot: BootState? = nil) { self.boot = boot }

        private static let jsonNames = ["boot"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var boot: BootState?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { boot = try reader.read() }
            self.init(boot: boot)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("boot", boot)
            writer.endObject()
        }
    }

    /// Stores an item. An item that is replaced keeps what is left out: access and each of its members, label,
    /// comment, attributes, expires. An expired item keeps the same, except expires. An empty label or comment, an
    /// empty list of attributes, and expires 0 remove what is there.
    public struct Set: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Set"
        public var service: String
        public var account: String
        /// As Item.kind. It is generic if it is left out.
        public var kind: ItemKind?
        /// Base64.
        public var value: String
        public var access: AccessChange?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        /// The item is not given out after this time. 0: never expires.
        public var expires: Int64?
        /// It is replace (the default), new or existing.
        public var mode: SetMode?
        /// The item must be in the state that this revision names. Otherwise the answer is Changed, and nothing is
        /// changed.
        public var ifRevision: String?
        /// Base64. It is given exactly if the item requires app-password from then on.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, value: String, access: AccessChange? = nil,
            label: String? = nil, comment: String? = nil, attributes: [String: String]? = nil, expires: Int64? = nil,
            mode: SetMode? = nil, ifRevision: String? = nil, applicationPassword: String? = nil,
            challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.value = value
            self.access = access
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.mode = mode
            self.ifRevision = ifRevision
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "access", "account", "applicationPassword", "attributes", "challenge", "comment", "expires",
            "ifRevision", "kind", "label", "mode", "service", "value",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var value: String?
            var access: AccessChange?
            var label: String?
            var comment: String?
            var attributes: [String: String]?
            var expires: Int64?
            var mode: SetMode?
            var ifRevision: String?
            var applicationPassword: String?
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
                case 7: ifRevision = try reader.read()
                case 8: kind = try reader.read()
                case 9: label = try reader.read()
                case 10: mode = try reader.read()
                case 11: service = try reader.read()
                default: value = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, value: try members.required(value, "value"), access: access, label: label, comment: comment,
                attributes: attributes, expires: expires, mode: mode, ifRevision: ifRevision,
                applicationPassword: applicationPassword, challenge: challenge
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
            writer.member("ifRevision", ifRevision)
            writer.member("kind", kind)
            writer.member("label", label)
            writer.member("mode", mode)
            writer.member("service", service)
            writer.member("value", value)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var item: Item
            /// When the former value was set.
            public var replaced: Int64?
            /// The version with the former value, if the vault keeps it. Restore brings it back.
            public var former: Int64?
            /// False: an older copy of the vault's file can still undo the change of access, because too many changes
            /// of that sort came before it. The change is on the disk, and the TPM counts it within 20 seconds.
            /// Otherwise it is absent.
            public var protected: Bool?

            public init(item: Item, replaced: Int64? = nil, former: Int64? = nil, protected: Bool? = nil) {
                self.item = item
                self.replaced = replaced
                self.former = former
                self.protected = protected
            }

            private static let jsonNames = ["former", "item", "protected", "replaced"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var item: Item?
                var replaced: Int64?
                var former: Int64?
                var protected: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: former = try reader.read()
                    case 1: item = try reader.read()
                    case 2: protected = try reader.read()
                    default: replaced = try reader.read()
                    }
                }
                self.init(
                    item: try members.required(item, "item"), replaced: replaced, former: former, protected: protected
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("former", former)
                writer.member("item", item)
                writer.member("protected", protected)
                writer.member("replaced", replaced)
                writer.endObject()
            }
        }
    }

    /// Makes all of these changes in their order, or none of them. Nobody ever sees only some of them, not even after
    /// a crash. An item that is to be deleted may be missing, unless ifRevision is given. An error begins with the
    /// number of the change that it is about, from 1: "change 3: the item exists already".
    public struct Apply: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Apply"
        public var changes: [Change]
        /// later: an older copy of the vault's file may undo these changes for some minutes, as it may undo what was
        /// only written. The call then never waits for the TPM. It is for caches and the like. Otherwise it is left
        /// out.
        public var rollback: RollbackTime?
        public var challenge: String?

        public init(changes: [Change], rollback: RollbackTime? = nil, challenge: String? = nil) {
            self.changes = changes
            self.rollback = rollback
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "changes", "rollback"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var changes: [Change]?
            var rollback: RollbackTime?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: changes = try reader.read()
                default: rollback = try reader.read()
                }
            }
            self.init(changes: try members.required(changes, "changes"), rollback: rollback, challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("changes", changes)
            writer.member("rollback", rollback)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// One for each change, in the same order.
            public var results: [ChangeResult]
            /// As for Set. It is absent with rollback.
            public var protected: Bool?

            public init(results: [ChangeResult], protected: Bool? = nil) {
                self.results = results
                self.protected = protected
            }

            private static let jsonNames = ["protected", "results"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var results: [ChangeResult]?
                var protected: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: protected = try reader.read()
                    default: results = try reader.read()
                    }
                }
                self.init(results: try members.required(results, "results"), protected: protected)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("protected", protected)
                writer.member("results", results)
                writer.endObject()
            }
        }
    }
}
