// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// The members of an access control that a call changes. An existing item keeps what is left out. A new item gets
    /// the default: when-unlocked, false, nothing, false.
    public struct AccessChange: JSONValue, Equatable {
        public var accessibility: AccessControl.Accessibility?
        public var thisDeviceOnly: Bool?
        public var require: [AccessControl.Requirement]?
        /// It is false if it is left out beside require.
        public var any: Bool?

        public init(
            accessibility: AccessControl.Accessibility? = nil, thisDeviceOnly: Bool? = nil,
            require: [AccessControl.Requirement]? = nil, any: Bool? = nil
        ) {
            self.accessibility = accessibility
            self.thisDeviceOnly = thisDeviceOnly
            self.require = require
            self.any = any
        }

        private static let jsonNames = ["accessibility", "any", "require", "thisDeviceOnly"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var accessibility: AccessControl.Accessibility?
            var thisDeviceOnly: Bool?
            var require: [AccessControl.Requirement]?
            var any: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: accessibility = try reader.read()
                case 1: any = try reader.read()
                case 2: require = try reader.read()
                default: thisDeviceOnly = try reader.read()
                }
            }
            self.init(accessibility: accessibility, thisDeviceOnly: thisDeviceOnly, require: require, any: any)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("accessibility", accessibility)
            writer.member("any", any)
            writer.member("require", require)
            writer.member("thisDeviceOnly", thisDeviceOnly)
            writer.endObject()
        }
    }

    /// An item without its value.
    public struct Item: JSONValue, Equatable {
        public var id: String
        public var service: String
        public var account: String
        /// It is generic, internet, key, certificate or file. Items of different kinds have different names, even if
        /// service and account are the same.
        public var kind: ItemKind
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]
        public var access: AccessControl
        public var created: Int64
        public var modified: Int64
        public var expires: Int64?
        /// Counts the item's values, from 1.
        public var version: Int64
        /// Names this state of the item. It is another one after any change of value, access, name or settings, and
        /// after a renewal of its key. A state that was deleted never comes back under the same revision. See
        /// ifRevision.
        public var revision: String
        /// The enrolled fingers that the value is bound to, as Biometry of org.coffer.Authentication names them. It
        /// is absent if the value is bound to none.
        public var biometrySet: String?

        public init(
            id: String, service: String, account: String, kind: ItemKind = .genericPassword, label: String? = nil,
            comment: String? = nil, attributes: [String: String], access: AccessControl, created: Int64,
            modified: Int64, expires: Int64? = nil, version: Int64, revision: String = "", biometrySet: String? = nil
        ) {
            self.id = id
            self.service = service
            self.account = account
            self.kind = kind
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.access = access
            self.created = created
            self.modified = modified
            self.expires = expires
            self.version = version
            self.revision = revision
            self.biometrySet = biometrySet
        }

        private static let jsonNames = [
            "access", "account", "attributes", "biometrySet", "comment", "created", "expires", "id", "kind",
            "label", "modified", "revision", "service", "version",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var id: String?
            var service: String?
            var account: String?
            var kind: ItemKind?
            var label: String?
            var comment: String?
            var attributes: [String: String]?
            var access: AccessControl?
            var created: Int64?
            var modified: Int64?
            var expires: Int64?
            var version: Int64?
            var revision: String?
            var biometrySet: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: access = try reader.read()
                case 1: account = try reader.read()
                case 2: attributes = try reader.read()
                case 3: biometrySet = try reader.read()
                case 4: comment = try reader.read()
                case 5: created = try reader.read()
                case 6: expires = try reader.read()
                case 7: id = try reader.read()
                case 8: kind = try reader.read()
                case 9: label = try reader.read()
                case 10: modified = try reader.read()
                case 11: revision = try reader.read()
                case 12: service = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                id: try members.required(id, "id"), service: try members.required(service, "service"),
                account: try members.required(account, "account"), kind: try members.required(kind, "kind"),
                label: label, comment: comment, attributes: try members.required(attributes, "attributes"),
                access: try members.required(access, "access"), created: try members.required(created, "created"),
                modified: try members.required(modified, "modified"), expires: expires,
                version: try members.required(version, "version"), revision: try members.required(revision, "revision"),
                biometrySet: biometrySet
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("access", access)
            writer.member("account", account)
            writer.member("attributes", attributes)
            writer.member("biometrySet", biometrySet)
            writer.member("comment", comment)
            writer.member("created", created)
            writer.member("expires", expires)
            writer.member("id", id)
            writer.member("kind", kind)
            writer.member("label", label)
            writer.member("modified", modified)
            writer.member("revision", revision)
            writer.member("service", service)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// A value that an item had before.
    public struct FormerVersion: JSONValue, Equatable {
        /// The version that the item had with it.
        public var version: Int64
        /// When it was set.
        public var set: Int64
        /// What reading it takes: the item's access control of that time.
        public var access: AccessControl
        /// The broker does not give it out after this time. It may drop it earlier, to keep newer values of the item.
        public var until: Int64

        public init(version: Int64, set: Int64, access: AccessControl, until: Int64) {
            self.version = version
            self.set = set
            self.access = access
            self.until = until
        }

        private static let jsonNames = ["access", "set", "until", "version"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var version: Int64?
            var set: Int64?
            var access: AccessControl?
            var until: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: access = try reader.read()
                case 1: set = try reader.read()
                case 2: until = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                version: try members.required(version, "version"), set: try members.required(set, "set"),
                access: try members.required(access, "access"), until: try members.required(until, "until")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("access", access)
            writer.member("set", set)
            writer.member("until", until)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// What a vault keeps of values that were replaced.
    public struct HistorySetting: JSONValue, Equatable {
        /// The most former values of one item, 0 to 10. 0: none.
        public var values: Int64
        /// For how many days, 0 to 366. 0: none.
        public var days: Int64

        public init(values: Int64, days: Int64) {
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
            self.init(values: try members.required(values, "values"), days: try members.required(days, "days"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("days", days)
            writer.member("values", values)
            writer.endObject()
        }
    }

    /// The state of a vault.
    public struct VaultState: JSONValue, Equatable {
        /// It is none (no vault yet), sealed (not opened since the broker started), locked or unlocked.
        public var state: State
        /// Since when it is in this state.
        public var since: Int64?
        public var items: Int64?
        /// True if opening the vault takes the login password. Otherwise it is absent.
        public var bound: Bool?
        /// The registers that the vault is tied to. It is absent if the vault is not tied to the boot.
        public var boot: [Int64]?
        /// The NV index of the TPM's counter that reveals an older copy of the vault's file. It is absent if there is
        /// no counter.
        public var counter: Int64?
        /// False: the TPM has not counted the last deletions or stricter access controls yet, so an older copy of the
        /// file can still undo them. Otherwise it is absent.
        public var protected: Bool?

        public init(
            state: State, since: Int64? = nil, items: Int64? = nil, bound: Bool? = nil, boot: [Int64]? = nil,
            counter: Int64? = nil, protected: Bool? = nil
        ) {
            self.state = state
            self.since = since
            self.items = items
            self.bound = bound
            self.boot = boot
            self.counter = counter
            self.protected = protected
        }

        private static let jsonNames = ["boot", "bound", "counter", "items", "protected", "since", "state"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var state: State?
            var since: Int64?
            var items: Int64?
            var bound: Bool?
            var boot: [Int64]?
            var counter: Int64?
            var protected: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: boot = try reader.read()
                case 1: bound = try reader.read()
                case 2: counter = try reader.read()
                case 3: items = try reader.read()
                case 4: protected = try reader.read()
                case 5: since = try reader.read()
                default: state = try reader.read()
                }
            }
            self.init(
                state: try members.required(state, "state"), since: since, items: items, bound: bound, boot: boot,
                counter: counter, protected: protected
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("boot", boot)
            writer.member("bound", bound)
            writer.member("counter", counter)
            writer.member("items", items)
            writer.member("protected", protected)
            writer.member("since", since)
            writer.member("state", state)
            writer.endObject()
        }
    }

    /// A boot under which a vault opens.
    public struct ApprovedBoot: JSONValue, Equatable {
        /// SHA-256 over the values of the vault's registers in their order, hex.
        public var digest: String
        /// When it was approved.
        public var approved: Int64

        public init(digest: String, approved: Int64) {
            self.digest = digest
            self.approved = approved
        }

        private static let jsonNames = ["approved", "digest"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var digest: String?
            var approved: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: approved = try reader.read()
                default: digest = try reader.read()
                }
            }
            self.init(
                digest: try members.required(digest, "digest"), approved: try members.required(approved, "approved")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("approved", approved)
            writer.member("digest", digest)
            writer.endObject()
        }
    }
}
