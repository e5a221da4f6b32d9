/// What becomes of an entry in a vault. An entry with a note and a seed of one-time passwords becomes three items.
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
    public var value: [UInt8]

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

    public init(_ place: ImportPlace, service: String, account: String, value: [UInt8]) {
        self.place = place
        self.service = service
        self.account = account
        self.value = value
    }
}
