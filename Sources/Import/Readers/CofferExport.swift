import FoundationEssentials

/// The text within an export of Coffer: a line of JSON for the export, one for each item, and one that counts them (docs/export.md).
public enum CofferExport {
    /// The version of the format.
    public static let version = 1

    /// The first line.
    public struct Head: Codable, Sendable, Equatable {
        public var cofferExport: Int
        /// When it was made, in RFC 3339.
        public var created: String

        public init(created: String) {
            cofferExport = CofferExport.version
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
        /// In Base64.
        public var value: String

        public init(service: String, account: String, access: ImportedItem.Access, value: String) {
            self.service = service
            self.account = account
            self.access = access
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
        public var items: [ImportedItem] = []
        public var problems: [ImportProblem] = []
    }

    public static func read(_ text: [UInt8]) throws(UnreadableFile) -> Reading {
        var reading = Reading()
        var count = 0
        var tail: Tail?
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
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
            do throws(ItemProblem) { reading.items.append(try item(line, place)) } catch {
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
        guard head.cofferExport == version else {
            throw UnreadableFile(
                "it is an export of version \(head.cofferExport), and this program reads version \(version)",
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

    private static func item(_ line: ArraySlice<UInt8>, _ place: ImportPlace) throws(ItemProblem) -> ImportedItem {
        let content: Line
        do { content = try JSONDecoder().decode(Line.self, from: Data(line)) } catch {
            throw ItemProblem(reason: JSONProblem.reason(error))
        }
        guard let value = Data(base64Encoded: content.value) else {
            throw ItemProblem(reason: "its value is no Base64")
        }
        guard !content.service.isEmpty else { throw ItemProblem(reason: "its service is empty") }
        var item = ImportedItem(place, service: content.service, account: content.account, value: Array(value))
        item.kind = content.kind
        item.label = content.label ?? ""
        item.comment = content.comment ?? ""
        item.attributes = content.attributes ?? [:]
        item.access = content.access
        item.expires = content.expires
        return item
    }
}
