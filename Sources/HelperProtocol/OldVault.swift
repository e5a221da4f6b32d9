import JSON

/// The messages between `coffer recovery restore` and `cofferd helper old-vault` (docs/architecture.md, "The helper").
///
/// `coffer` first sends the recovery code and gets an ``Opening``. After a malformed code it may send another one. Then it sends an item's number
/// and that of one of its fields, with a blank between them, and gets a ``Value``, until the input ends.
public enum OldVault {
    /// Whether the file opened.
    public struct Opening: Codable, Sendable {
        /// Sorted by service and account; nil if there is a problem.
        public var items: [Item]?
        public var problem: Problem?

        public init(items: [Item]) { self.items = items }
        public init(_ problem: Problem) { self.problem = problem }
    }

    /// The value of a field.
    public struct Value: Codable, Sendable {
        /// In Base64; nil if there is a problem.
        public var value: String?
        public var problem: Problem?

        public init(_ value: String) { self.value = value }
        public init(_ problem: Problem) { self.problem = problem }
    }

    /// A field of an item, without its value.
    public struct Field: Codable, Sendable {
        public var name: String
        public var kind: String

        public init(name: String, kind: String) {
            self.name = name
            self.kind = kind
        }
    }

    /// One item, without its values.
    public struct Item: Codable, Sendable {
        public var service: String
        public var account: String
        /// In the name of the Varlink interface; nil for a generic item.
        public var kind: String?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]
        /// In milliseconds since 1970-01-01 UTC; nil if the item never expires.
        public var expires: UInt64?
        /// The access control, in the names of the Varlink interface.
        public var accessibility: String
        public var thisDeviceOnly: Bool
        public var require: [String]
        public var any: Bool
        /// All fields of the item. The one named secret comes first, if there is one.
        public var fields: [Field]

        public init(
            service: String, account: String, kind: String?, label: String?, comment: String?,
            attributes: [String: String], expires: UInt64?, accessibility: String, thisDeviceOnly: Bool,
            require: [String], any: Bool, fields: [Field]
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.accessibility = accessibility
            self.thisDeviceOnly = thisDeviceOnly
            self.require = require
            self.any = any
            self.fields = fields
        }
    }

    /// Why something in the file cannot be read.
    public struct Problem: Codable, Sendable, Error {
        public enum Code: String, Codable, Sendable {
            /// The text is no recovery code.
            case malformedCode
            /// The copy was made before any code was.
            case noCode
            /// The code belongs to another vault, or to another time.
            case wrongCode
            case damaged
            case newerFormat
            case failed
        }

        public var code: Code
        public var reason: String

        public init(_ code: Code, _ reason: String) {
            self.code = code
            self.reason = reason
        }
    }
}

extension OldVault.Opening: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("items", items)
        writer.member("problem", problem)
        writer.endObject()
    }
}

extension OldVault.Value: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("problem", problem)
        writer.member("value", value)
        writer.endObject()
    }
}

extension OldVault.Field: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", kind)
        writer.member("name", name)
        writer.endObject()
    }
}

extension OldVault.Item: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("accessibility", accessibility)
        writer.member("account", account)
        writer.member("any", any)
        writer.member("attributes", attributes)
        writer.member("comment", comment)
        writer.member("expires", expires)
        writer.member("fields", fields)
        writer.member("kind", kind)
        writer.member("label", label)
        writer.member("require", require)
        writer.member("service", service)
        writer.member("thisDeviceOnly", thisDeviceOnly)
        writer.endObject()
    }
}

extension OldVault.Problem: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", code.rawValue)
        writer.member("reason", reason)
        writer.endObject()
    }
}
