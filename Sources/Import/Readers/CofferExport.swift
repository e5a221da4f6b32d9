import FoundationEssentials
import Item

/// The text within an export of Coffer: a line of JSON for the export, one for each item, and one that counts them (docs/export.md).
public enum CofferExport {
    /// The versions of the format that are read. Version 2 has fields.
    static let versions = 1...2

    /// The first line.
    public struct Head: Codable, Sendable, Equatable {
        public var cofferExport: Int
        /// When it was made, in RFC 3339.
        public var created: String

        /// - Parameter hasFields: whether an item has fields beside its value. A reader of version 1 would ignore them, so it must refuse the file.
        public init(created: String, hasFields: Bool) {
            cofferExport = hasFields ? 2 : 1
            self.created = created
        }
    }

    /// An item.
    public struct Line: Codable, Sendable, Equatable {
        public var service: String
        public var account: String
        /// Left out for a generic item.
        public var kind: String?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        public var access: ImportedItem.Access
        /// In milliseconds since 1970.
        public var created: Int64?
        public var modified: Int64?
        public var expires: Int64?
        /// The field secret, in Base64; left out if the item has none.
        public var value: String?
        /// The other fields; left out if there are none.
        public var fields: [Field]?

        public init(service: String, account: String, access: ImportedItem.Access, value: String?) {
            self.service = service
            self.account = account
            self.access = access
            self.value = value
        }
    }

    /// A field of an item, beside the one named secret.
    public struct Field: Codable, Sendable, Equatable {
        public var name: String
        public var kind: String
        /// In Base64.
        public var value: String

        public init(name: String, kind: String, value: String) {
            self.name = name
            self.kind = kind
            self.value = value
        }
    }

    /// The last line.
    public struct Tail: Codable, Sendable, Equatable {
        /// How many items there are.
        public var items: Int

        public init(items: Int) { self.items = items }
    }

    /// A line with its line break.
    public static func line(_ content: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(content)) + [UInt8(ascii: "\n")]
    }

    /// What ``read(_:)`` found.
    public struct Reading: Sendable, Equatable {
        /// Each field is an item of its own. Those of one item have one place, and follow each other.
        public var items: [ImportedItem] = []
        public var problems: [ImportProblem] = []
    }

    public static func read(_ text: [UInt8]) throws(UnreadableFile) -> Reading {
        var reading = Reading()
        var count = 0
        var tail: Tail?
        var number = 0
        try LongMarks.refuse(in: text[...])
        var start = text.startIndex
        // One line after the other: a file of line feeds alone would take fifty times its size as a list of them.
        while start <= text.endIndex {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
            let line = text[start..<end]
            start = end + 1
            number += 1
            guard !line.isEmpty || number == 1 else { continue }
            let place = ImportPlace(line: number)
            guard tail == nil else { throw UnreadableFile("something follows the last line", at: place) }
            // It is flat but for two objects, so this depth is ample, and a decoder never sees more.
            do throws(UnreadableFile) { _ = try JSONOutline(line, itemsIn: "", depth: 0) } catch {
                throw UnreadableFile(error.reason, at: place, advice: error.advice)
            }
            if number == 1 {
                try checkHead(line)
                continue
            }
            // An item may have members that this version does not know, also one of this name.
            if let found = decoded(Tail.self, line), decoded(Named.self, line) == nil {
                tail = found
                continue
            }
            count += 1
            guard count <= ImportLimits.entries else {
                throw UnreadableFile("it has more than \(ImportLimits.entries) items", at: place)
            }
            do throws(ItemProblem) { reading.items += try items(line, place) } catch {
                reading.problems.append(ImportProblem(place, error.reason))
            }
        }
        guard number > 0, let tail else {
            throw UnreadableFile("its end is missing", at: ImportPlace(line: number), advice: "use another copy")
        }
        guard tail.items == count else {
            throw UnreadableFile("it says that it has \(tail.items) items, but it has \(count)")
        }
        return reading
    }

    private static func checkHead(_ line: ArraySlice<UInt8>) throws(UnreadableFile) {
        guard let head = decoded(Head.self, line) else {
            throw UnreadableFile("it is no export of Coffer", at: ImportPlace(line: 1))
        }
        guard versions.contains(head.cofferExport) else {
            throw UnreadableFile(
                "it is an export of version \(head.cofferExport), and this program reads versions 1 and 2",
                at: ImportPlace(line: 1), advice: "use a newer coffer")
        }
    }

    /// nil for a line of another kind.
    private static func decoded<Content: Decodable>(_ type: Content.Type, _ line: ArraySlice<UInt8>) -> Content? {
        // The caller says what is wrong with a line that is nothing at all.
        try? JSONDecoder().decode(type, from: Data(line))
    }

    /// What every item has.
    private struct Named: Decodable { var service: String }

    private struct ItemProblem: Error { var reason: String }

    private static func items(_ line: ArraySlice<UInt8>, _ place: ImportPlace) throws(ItemProblem) -> [ImportedItem] {
        let content: Line
        do { content = try JSONDecoder().decode(Line.self, from: Data(line)) } catch {
            throw ItemProblem(reason: JSONProblem.reason(error))
        }
        guard !content.service.isEmpty else { throw ItemProblem(reason: "its service is empty") }
        let fields = content.fields ?? []
        guard content.value != nil || !fields.isEmpty else { throw ItemProblem(reason: "it has no value") }
        // One such item would refuse its whole batch, and half of an item is no item.
        guard (content.value == nil ? 0 : 1) + fields.count <= ItemLimits.fields else {
            throw ItemProblem(reason: "it has more than \(ItemLimits.fields) fields")
        }
        var names: Set<FieldName> = [.secret]
        for field in fields {
            guard let name = FieldName(field.name) else {
                throw ItemProblem(reason: "the name of a field is one that no field can have")
            }
            guard names.insert(name).inserted else { throw ItemProblem(reason: "it has a field twice") }
        }
        var item = ImportedItem(place, service: content.service, account: content.account, value: [])
        item.kind = content.kind
        item.label = content.label ?? ""
        item.comment = content.comment ?? ""
        item.attributes = content.attributes ?? [:]
        item.access = content.access
        item.expires = content.expires
        var items: [ImportedItem] = []
        if let value = content.value {
            item.value = try bytes(value)
            items.append(item)
        }
        for field in fields {
            item.field = ImportedItem.Field(name: field.name, kind: field.kind)
            item.value = try bytes(field.value)
            items.append(item)
        }
        return items
    }

    private static func bytes(_ text: String) throws(ItemProblem) -> [UInt8] {
        guard let value = Data(base64Encoded: text) else { throw ItemProblem(reason: "its value is no Base64") }
        return Array(value)
    }
}
