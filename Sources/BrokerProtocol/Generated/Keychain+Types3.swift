// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// One change of Apply.
    public struct Change: JSONValue, Equatable {
        /// It is set, delete or deleteService.
        public var action: Action
        public var service: String
        /// It is left out for deleteService, and only there.
        public var account: String?
        /// As for Set. For deleteService: only items of this kind. If it is left out, items of all kinds.
        public var kind: ItemKind?
        /// This one and what follows are as for Set, and only for set. ifRevision is for delete, too. Base64.
        public var value: String?
        public var access: AccessChange?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        public var expires: Int64?
        public var mode: SetMode?
        public var ifRevision: String?
        public var applicationPassword: String?

        public init(
            action: Action, service: String, account: String? = nil, kind: ItemKind? = nil, value: String? = nil,
            access: AccessChange? = nil, label: String? = nil, comment: String? = nil,
            attributes: [String: String]? = nil, expires: Int64? = nil, mode: SetMode? = nil, ifRevision: String? = nil,
            applicationPassword: String? = nil
        ) {
            self.action = action
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
        }

        private static let jsonNames = [
            "access", "account", "action", "applicationPassword", "attributes", "comment", "expires", "ifRevision",
            "kind", "label", "mode", "service", "value",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var action: Action?
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
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: access = try reader.read()
                case 1: account = try reader.read()
                case 2: action = try reader.read()
                case 3: applicationPassword = try reader.read()
                case 4: attributes = try reader.read()
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
                action: try members.required(action, "action"), service: try members.required(service, "service"),
                account: account, kind: kind, value: value, access: access, label: label, comment: comment,
                attributes: attributes, expires: expires, mode: mode, ifRevision: ifRevision,
                applicationPassword: applicationPassword
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("access", access)
            writer.member("account", account)
            writer.member("action", action)
            writer.member("applicationPassword", applicationPassword)
            writer.member("attributes", attributes)
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
    }

    /// What became of one change.
    public struct ChangeResult: JSONValue, Equatable {
        /// The item's id. It is absent if there was no item to delete, and if several were deleted.
        public var item: String?
        /// The item's version and revision. They are there for set only.
        public var version: Int64?
        public var revision: String?
        /// When the former value was set. It is there for a set that replaced one.
        public var replaced: Int64?
        /// How many items were deleted.
        public var deleted: Int64

        public init(
            item: String? = nil, version: Int64? = nil, revision: String? = nil, replaced: Int64? = nil,
            deleted: Int64 = 0
        ) {
            self.item = item
            self.version = version
            self.revision = revision
            self.replaced = replaced
            self.deleted = deleted
        }

        private static let jsonNames = ["deleted", "item", "replaced", "revision", "version"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: String?
            var version: Int64?
            var revision: String?
            var replaced: Int64?
            var deleted: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: deleted = try reader.read()
                case 1: item = try reader.read()
                case 2: replaced = try reader.read()
                case 3: revision = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                item: item, version: version, revision: revision, replaced: replaced,
                deleted: try members.required(deleted, "deleted")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("deleted", deleted)
            writer.member("item", item)
            writer.member("replaced", replaced)
            writer.member("revision", revision)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// An item that a call about several items names.
    public struct ItemName: JSONValue, Equatable {
        public var service: String
        /// It is left out if the service has one account only.
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

    /// An item and its value.
    public struct ItemValue: JSONValue, Equatable {
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

    /// A lease: one process and its descendants read some items without a prompt, until it ends.
    public struct LeaseState: JSONValue, Equatable {
        /// Names the lease, for the log and for people. Knowing it permits nothing.
        public var id: Int64
        /// The process that has it, and its descendants.
        public var pid: Int64
        /// The command that it said it would run.
        public var command: String?
        /// The program that the process ran when it connected, by the kernel's word.
        public var program: String?
        /// The items that it still covers. An item that was changed since is no longer among them.
        public var items: [ItemName]
        public var granted: Int64
        public var ends: Int64

        public init(
            id: Int64, pid: Int64, command: String? = nil, program: String? = nil, items: [ItemName], granted: Int64,
            ends: Int64
        ) {
            self.id = id
            self.pid = pid
            self.command = command
            self.program = program
            self.items = items
            self.granted = granted
            self.ends = ends
        }

        private static let jsonNames = ["command", "ends", "granted", "id", "items", "pid", "program"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var id: Int64?
            var pid: Int64?
            var command: String?
            var program: String?
            var items: [ItemName]?
            var granted: Int64?
            var ends: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: command = try reader.read()
                case 1: ends = try reader.read()
                case 2: granted = try reader.read()
                case 3: id = try reader.read()
                case 4: items = try reader.read()
                case 5: pid = try reader.read()
                default: program = try reader.read()
                }
            }
            self.init(
                id: try members.required(id, "id"), pid: try members.required(pid, "pid"), command: command,
                program: program, items: try members.required(items, "items"),
                granted: try members.required(granted, "granted"), ends: try members.required(ends, "ends")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("command", command)
            writer.member("ends", ends)
            writer.member("granted", granted)
            writer.member("id", id)
            writer.member("items", items)
            writer.member("pid", pid)
            writer.member("program", program)
            writer.endObject()
        }
    }

    /// Something that happened in a vault.
    public struct Event: JSONValue, Equatable {
        /// It is added, updated or deleted (an item), locked or unlocked (the vault), or missed. missed: there were
        /// more events than the caller took, or another file took the place of the vault's. Call List and Status to
        /// see what was left out. A newer broker may know more of them. Take an event that you do not know for
        /// missed.
        public var event: Kind
        /// The item after the event, or the last one if it was deleted. It is absent in events of the vault.
        public var item: Item?
        /// When it happened.
        public var time: Int64

        public init(event: Kind, item: Item? = nil, time: Int64) {
            self.event = event
            self.item = item
            self.time = time
        }

        private static let jsonNames = ["event", "item", "time"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var event: Kind?
            var item: Item?
            var time: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: event = try reader.read()
                case 1: item = try reader.read()
                default: time = try reader.read()
                }
            }
            self.init(event: try members.required(event, "event"), item: item, time: try members.required(time, "time"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("event", event)
            writer.member("item", item)
            writer.member("time", time)
            writer.endObject()
        }
    }
}
