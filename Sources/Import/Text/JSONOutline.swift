/// Looks at brackets, strings and commas of JSON before a decoder does: how deep it is nested, how many values it has, and on which lines its items
/// begin. It refuses commas that stand before a closing bracket or follow no value, because a decoder takes them. It decides nothing else about what
/// is valid.
struct JSONOutline {
    /// The lines on which the items begin, in their order.
    private(set) var lines: [Int] = []

    /// - Parameters:
    ///   - key: the name of the arrays that hold the items.
    ///   - depth: how many brackets are open within such an array.
    init(_ bytes: ArraySlice<UInt8>, itemsIn key: String, depth wanted: Int) throws(UnreadableFile) {
        let key = Array(key.utf8)
        var line = 1
        var depth = 0
        var values = 0
        var string: Range<Int>?
        /// Whether the array at the wanted depth has the key.
        var isInItems = false
        /// The last character that is no blank and in no string; a quote stands for a string.
        var last = UInt8(ascii: ",")
        func misplaced() -> UnreadableFile {
            UnreadableFile("it is not JSON: a comma is followed or preceded by nothing", at: ImportPlace(line: line))
        }
        var at = bytes.startIndex
        while at < bytes.endIndex {
            switch bytes[at] {
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: "\""):
                let start = at + 1
                at += 1
                while at < bytes.endIndex, bytes[at] != UInt8(ascii: "\"") {
                    if bytes[at] == UInt8(ascii: "\n") { line += 1 }
                    at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
                }
                string = start..<min(at, bytes.endIndex)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                values += 1
                guard depth <= ImportLimits.depth else {
                    throw UnreadableFile(
                        "it is nested deeper than \(ImportLimits.depth) levels", at: ImportPlace(line: line))
                }
                if depth == wanted, bytes[at] == UInt8(ascii: "[") {
                    isInItems = string.map { bytes[$0].elementsEqual(key) } ?? false
                }
                if depth == wanted + 1, isInItems { lines.append(line) }
                string = nil
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard last != UInt8(ascii: ",") else { throw misplaced() }
                if depth == wanted { isInItems = false }
                depth -= 1
                string = nil
                guard depth >= 0 else {
                    throw UnreadableFile("it closes a bracket that it never opened", at: ImportPlace(line: line))
                }
            case UInt8(ascii: ","):
                guard !",[{:".utf8.contains(last) else { throw misplaced() }
                values += 1
                string = nil
            default: break
            }
            guard values <= ImportLimits.values else {
                throw UnreadableFile(
                    "it has more than \(ImportLimits.values) values", at: ImportPlace(line: line),
                    advice: "split the file")
            }
            if at < bytes.endIndex, !" \t\r\n".utf8.contains(bytes[at]) { last = bytes[at] }
            at += 1
        }
        guard last != UInt8(ascii: ",") || bytes.isEmpty else { throw misplaced() }
    }

    /// Whether a text begins as an object of JSON does, and so is no table.
    static func isMeant(_ text: ArraySlice<UInt8>) -> Bool {
        text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
    }

    /// The place of an item, by its index.
    func place(_ index: Int) -> ImportPlace {
        ImportPlace(line: lines.indices.contains(index) ? lines[index] : nil, item: index + 1)
    }
}
