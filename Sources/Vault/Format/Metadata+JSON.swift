import Item
import JSON

extension Metadata: JSONReadable {
    /// Reads metadata as it was sealed.
    ///
    /// - Parameter start: where the text begins.
    /// - Throws: `.damaged`.
    init(text bytes: [UInt8], from start: Int) throws(VaultError) {
        do throws(JSONFailure) { self = try JSONReader.read(Metadata.self, from: bytes, at: start) } catch {
            throw .damaged("an item's metadata cannot be read", cause: error)
        }
        try checkFields()
    }

    private static let jsonNames = [
        "account", "attributes", "biometrySet", "comment", "created", "deleted", "expires", "fields", "kind", "label",
        "modified",
        "service", "valueSet",
    ]

    /// Reads what Coffer writes, and has ever written.
    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var service: String?
        var account: String?
        var kind: ItemKind?
        var label: String?
        var comment: String?
        var attributes: [String: String]?
        var created: UInt64?
        var deleted: UInt64?
        var modified: UInt64?
        var valueSet: UInt64?
        var expires: UInt64?
        var biometrySet: String?
        var fields: [ItemField]?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: account = try reader.read()
            case 1: attributes = try reader.read()
            case 2: biometrySet = try reader.read()
            case 3: comment = try reader.read()
            case 4: created = try reader.read()
            case 5: deleted = try reader.read()
            case 6: expires = try reader.read()
            case 7: fields = try reader.read()
            case 8: kind = try Self.kind(&reader)
            case 9: label = try reader.read()
            case 10: modified = try reader.read()
            case 11: service = try reader.read()
            default: valueSet = try reader.read()
            }
        }
        // A generic item has no kind in its metadata.
        guard kind != .genericPassword else { throw .mismatch(at: start) }
        self.init(
            service: try members.required(service, "service"), account: try members.required(account, "account"),
            kind: kind ?? .genericPassword, label: label, comment: comment,
            attributes: try members.required(attributes, "attributes"),
            created: try members.required(created, "created"), modified: try members.required(modified, "modified"),
            secretSet: valueSet, expires: expires, biometrySet: biometrySet, otherFields: fields, deleted: deleted)
    }
}

extension Metadata: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("account", account)
        writer.member("attributes", attributes)
        writer.member("biometrySet", biometrySet)
        writer.member("comment", comment)
        writer.member("created", created)
        writer.member("deleted", deleted)
        writer.member("expires", expires)
        writer.member("fields", otherFields)
        // A generic item has none, so that its metadata is what it was before there were kinds.
        writer.member("kind", kind == .genericPassword ? nil : kind.rawValue)
        writer.member("label", label)
        writer.member("modified", modified)
        writer.member("service", service)
        writer.member("valueSet", secretSet)
        writer.endObject()
    }
}

extension Metadata {
    // The wire's module has this for messages. A file needs the text alone.
    private static func kind(_ reader: inout JSONReader) throws(JSONFailure) -> ItemKind? {
        let start = reader.at
        guard let text: String = try reader.read() else { return nil }
        guard let kind = ItemKind(rawValue: text) else { throw .mismatch(at: start) }
        return kind
    }
}
