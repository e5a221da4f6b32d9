import Item

/// What becomes of an entry in a vault: a field of an item. An entry with a note and a seed of one-time passwords becomes three fields of one item.
public struct ImportedItem: Sendable, Equatable {
    public var place: ImportPlace
    public var service: String
    public var account: String
    /// nil for a generic item.
    public var kind: String?
    public var label = ""
    public var comment = ""
    public var attributes: [String: String] = [:]
    /// Milliseconds since 1970; nil if it never expires.
    public var expires: Int64?
    /// What Coffer's own export says about reading it; nil for the files of others.
    public var access: Access?
    /// The field that has the value; nil for the field secret.
    public var field: Field?
    /// The account of the item that an earlier version made of it, such as `me:otp`; nil if it made none.
    public var companion: String?
    public var value: [UInt8]
    /// Whether the other program still uses it.
    public var state = ImportEntry.State.live
    /// What a person should know about its name, as a clause.
    public var remark: String?
    /// The entry that it comes from; nil in Coffer's own export.
    var origin: Origin?

    /// An entry of another program's file.
    struct Origin: Sendable, Equatable {
        /// The account of the entry's item without a number.
        let user: String
        /// The account of the entry's item.
        var account: String
        /// What ``remark`` says of the number.
        var numbering: String?
    }

    /// In the broker's words.
    public struct Access: Codable, Sendable, Equatable {
        public var accessibility: String
        public var require: [String]
        public var any: Bool

        public init(accessibility: String, require: [String], any: Bool) {
            self.accessibility = accessibility
            self.require = require
            self.any = any
        }
    }

    /// A field's name and kind, in the broker's words.
    public struct Field: Sendable, Equatable {
        public var name: String
        public var kind: String

        public init(name: String, kind: String) {
            self.name = name
            self.kind = kind
        }
    }

    public init(_ place: ImportPlace, service: String, account: String, value: [UInt8]) {
        self.place = place
        self.service = service
        self.account = account
        self.value = value
    }

    /// When an entry was made says nothing about what it is for.
    private static let times: Set<String> = ["created", "changed"]

    /// The attributes apart from the times, to be compared byte by byte.
    var description: [[UInt8]: [UInt8]] {
        let pairs = attributes.filter { !Self.times.contains($0.key) }
        // Names that are equal byte by byte are one name in the attributes, too.
        return Dictionary(pairs.map { (Array($0.key.utf8), Array($0.value.utf8)) }) { first, _ in first }
    }

    /// Why the broker would refuse it, as a clause; nil if it would not. One such item would refuse its whole batch.
    var problem: String? {
        if value.count > ItemLimits.value { return "a secret of it is larger than 1 MiB" }
        if service.isEmpty { return "its service is empty" }
        for (text, what) in [(service, "name or address"), (account, "user name")] {
            if text.utf8.count > ItemLimits.name { return "its \(what) is longer than \(ItemLimits.name) bytes" }
            if text.utf8.contains(0) { return "its \(what) has a zero byte" }
        }
        if label.utf8.count > ItemLimits.label { return "its label is longer than \(ItemLimits.label) bytes" }
        if comment.utf8.count > ItemLimits.comment {
            return "its comment is longer than \(ItemLimits.comment) bytes"
        }
        if attributes.count > ItemLimits.attributes {
            return "it has more than \(ItemLimits.attributes) attributes"
        }
        for (name, text) in attributes {
            if name.isEmpty || text.isEmpty { return "it has an attribute without a name or a value" }
            if name.utf8.count + text.utf8.count > ItemLimits.attribute {
                return "an attribute of it is longer than \(ItemLimits.attribute) bytes"
            }
        }
        if let field, FieldName(field.name) == nil { return "the name of a field is one that no field can have" }
        if let expires, expires < 0 { return "its time of expiry is before 1970" }
        return nil
    }
}

extension ImportedItem {
    /// Says why it has a number.
    /// - Parameter owner: where the item is that has the name without one.
    mutating func number(beside owner: ImportPlace?) {
        let owner = owner.map { "\($0)" } ?? ""
        guard !owner.isEmpty else { return }
        let reason = "\(owner) has the name without a number"
        origin?.numbering = reason
        addRemark(reason)
    }

    /// Adds to what a person should know about it.
    mutating func addRemark(_ reason: String?) {
        let remarks = [remark, reason].compactMap { $0 }
        remark = remarks.isEmpty ? nil : remarks.joined(separator: "; ")
    }
}
