import Item
import JSON

/// One field of an item, without its value. It is part of the item's metadata, so a list shows it while the vault is
/// locked.
package struct ItemField: Sendable, Hashable {
    package let name: FieldName
    package let kind: FieldKind
    /// When its present value was set, in milliseconds since 1970-01-01 UTC.
    package let set: UInt64
    /// The digest of the fingers that the value is bound to, in hexadecimal; nil if it is bound to no set of fingers.
    package let biometrySet: String?

    package init(_ name: FieldName, _ kind: FieldKind, set: UInt64, biometrySet: String? = nil) {
        self.name = name
        self.kind = kind
        self.set = set
        self.biometrySet = biometrySet
    }
}

extension ItemField: JSONReadable, JSONWritable {
    private static let jsonNames = ["biometrySet", "kind", "name", "set"]

    package init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var name: String?
        var kind: String?
        var set: UInt64?
        var biometrySet: String?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: biometrySet = try reader.read()
            case 1: kind = try reader.read()
            case 2: name = try reader.read()
            default: set = try reader.read()
            }
        }
        guard let name = FieldName(try members.required(name, "name")),
            let kind = FieldKind(rawValue: try members.required(kind, "kind"))
        else { throw .mismatch(at: start) }
        self.init(name, kind, set: try members.required(set, "set"), biometrySet: biometrySet)
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("biometrySet", biometrySet)
        writer.member("kind", kind.rawValue)
        writer.member("name", name.text)
        writer.member("set", set)
        writer.endObject()
    }
}

extension ItemField: Codable {
    private enum CodingKeys: String, CodingKey { case biometrySet, kind, name, set }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard let name = FieldName(try values.decode(String.self, forKey: .name)),
            let kind = FieldKind(rawValue: try values.decode(String.self, forKey: .kind))
        else { throw VaultError.damaged("an item has an impossible field") }
        self.init(
            name, kind, set: try values.decode(UInt64.self, forKey: .set),
            biometrySet: try values.decodeIfPresent(String.self, forKey: .biometrySet))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(biometrySet, forKey: .biometrySet)
        try values.encode(kind.rawValue, forKey: .kind)
        try values.encode(name.text, forKey: .name)
        try values.encode(set, forKey: .set)
    }
}
