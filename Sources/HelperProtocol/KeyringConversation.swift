import JSON

/// A line of `cofferd helper keyring`, which reads what the user's session bus offers as org.freedesktop.secrets.
public struct KeyringAnswer: Codable, Sendable {
    public var item: Item?
    /// An item that has more than a vault takes.
    public var unreadable: Unreadable?
    /// Something that cannot be read, by its name.
    public var leftOut: String?
    /// Why nothing (more) can be read.
    public var problem: String?
    /// The last line.
    public var isEnd: Bool?

    public struct Item: Codable, Sendable {
        public var collection: String
        public var label: String
        public var attributes: [String: String]
        /// Seconds since 1970; 0 if unknown.
        public var created: UInt64
        public var modified: UInt64
        /// In Base64.
        public var secret: String

        public init(
            collection: String, label: String, attributes: [String: String], created: UInt64, modified: UInt64,
            secret: String
        ) {
            self.collection = collection
            self.label = label
            self.attributes = attributes
            self.created = created
            self.modified = modified
            self.secret = secret
        }
    }

    public struct Unreadable: Codable, Sendable {
        public var collection: String
        public var label: String
        /// Why, as a clause.
        public var reason: String

        public init(collection: String, label: String, reason: String) {
            self.collection = collection
            self.label = label
            self.reason = reason
        }
    }

    public init(
        item: Item? = nil, unreadable: Unreadable? = nil, leftOut: String? = nil, problem: String? = nil,
        isEnd: Bool? = nil
    ) {
        self.item = item
        self.unreadable = unreadable
        self.leftOut = leftOut
        self.problem = problem
        self.isEnd = isEnd
    }
}

extension KeyringAnswer: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("isEnd", isEnd)
        writer.member("item", item)
        writer.member("leftOut", leftOut)
        writer.member("problem", problem)
        writer.member("unreadable", unreadable)
        writer.endObject()
    }
}

extension KeyringAnswer.Item: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("attributes", attributes)
        writer.member("collection", collection)
        writer.member("created", created)
        writer.member("label", label)
        writer.member("modified", modified)
        writer.member("secret", secret)
        writer.endObject()
    }
}

extension KeyringAnswer.Unreadable: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("collection", collection)
        writer.member("label", label)
        writer.member("reason", reason)
        writer.endObject()
    }
}
