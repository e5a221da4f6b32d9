/// Reads a table as RFC 4180 defines it. Lines may also end with a line feed or a carriage return alone, and the text may begin with a byte order
/// mark.
struct CSVRows {
    /// A row, or why it cannot be read.
    struct Row: Equatable {
        /// The line on which it begins.
        let line: Int
        var fields: [String]
        var problem: String?
    }

    private let bytes: ArraySlice<UInt8>
    private var at: Int
    private var line = 1
    /// Spreadsheets write semicolons or tabs where the comma separates decimals.
    private let separator: UInt8

    init(_ file: [UInt8]) throws(UnreadableFile) {
        bytes = try TextFile.content(file)
        at = bytes.startIndex
        separator = Self.separator(of: bytes)
    }

    /// The character that the first line has most of, outside of quotes; the comma if it has none.
    private static func separator(of bytes: ArraySlice<UInt8>) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in bytes.drop(while: { $0 == lineFeed || $0 == carriageReturn }) {
            if byte == quote { isQuoted.toggle() }
            if byte == lineFeed || byte == carriageReturn, !isQuoted { break }
            if !isQuoted { counts[byte, default: 0] += 1 }
        }
        var best = comma
        for other in [UInt8(ascii: ";"), UInt8(ascii: "\t")] where counts[other, default: 0] > counts[best, default: 0]
        {
            best = other
        }
        return best
    }

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// - Returns: nil at the end. Empty lines are passed over.
    /// - Throws: ``UnreadableFile`` if a quote is never closed, because then nobody can tell where the next row begins.
    mutating func next() throws(UnreadableFile) -> Row? {
        while at < bytes.endIndex, takeLineEnd() {}
        guard at < bytes.endIndex else { return nil }
        var row = Row(line: line, fields: [])
        while true {
            guard row.fields.count < ImportLimits.columns else {
                row.problem = "it has more than \(ImportLimits.columns) fields"
                skipLine()
                return row
            }
            let field: [UInt8]
            do throws(FieldProblem) { field = try takeField() } catch {
                guard !error.isEndless else {
                    throw UnreadableFile(
                        "field \(row.fields.count + 1) begins with a quote that is never closed",
                        at: ImportPlace(line: line), advice: "write a quote within a field twice")
                }
                row.problem = "field \(row.fields.count + 1) \(error.reason)"
                skipLine()
                return row
            }
            guard let text = String(validating: field, as: UTF8.self) else {
                row.problem = "field \(row.fields.count + 1) is not UTF-8"
                skipLine()
                return row
            }
            row.fields.append(text)
            if at >= bytes.endIndex || takeLineEnd() { return row }
            // Behind a field, only a separator is left.
            at += 1
        }
    }

    private struct FieldProblem: Error {
        var reason = ""
        var isEndless = false
    }

    private mutating func takeField() throws(FieldProblem) -> [UInt8] {
        guard at < bytes.endIndex, bytes[at] == Self.quote else {
            let start = at
            while at < bytes.endIndex, bytes[at] != separator, !isLineEnd {
                guard bytes[at] != Self.quote else {
                    throw FieldProblem(reason: "has a quote in the middle, but does not begin with one")
                }
                at += 1
            }
            return Array(bytes[start..<at])
        }
        return try takeQuotedField()
    }

    private mutating func takeQuotedField() throws(FieldProblem) -> [UInt8] {
        let start = (at: at, line: line)
        at += 1
        var field: [UInt8] = []
        while at < bytes.endIndex {
            let byte = bytes[at]
            at += 1
            guard byte == Self.quote else {
                let isFirstHalf = byte == Self.carriageReturn && at < bytes.endIndex && bytes[at] == Self.lineFeed
                if byte == Self.lineFeed || byte == Self.carriageReturn, !isFirstHalf { line += 1 }
                field.append(byte)
                continue
            }
            guard at < bytes.endIndex, bytes[at] == Self.quote else {
                guard at >= bytes.endIndex || bytes[at] == separator || isLineEnd else {
                    throw FieldProblem(reason: "goes on behind its closing quote")
                }
                return field
            }
            field.append(byte)
            at += 1
        }
        (at, line) = start
        throw FieldProblem(isEndless: true)
    }

    private var isLineEnd: Bool { bytes[at] == Self.lineFeed || bytes[at] == Self.carriageReturn }

    private mutating func takeLineEnd() -> Bool {
        guard isLineEnd else { return false }
        let isPair = bytes[at] == Self.carriageReturn && at + 1 < bytes.endIndex && bytes[at + 1] == Self.lineFeed
        at += isPair ? 2 : 1
        line += 1
        return true
    }

    private mutating func skipLine() {
        while at < bytes.endIndex, !isLineEnd { at += 1 }
        if at < bytes.endIndex { _ = takeLineEnd() }
    }
}
