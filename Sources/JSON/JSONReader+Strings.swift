import Platform

/// A string in the bytes, without its quotes.
struct JSONString {
    let range: Range<Int>
    let isEscaped: Bool
    let isASCII: Bool

    /// Its bytes are its text, and no other spelling of the same text exists among strings that are plain too.
    var isPlain: Bool { !isEscaped && isASCII }
}

extension JSONReader {
    public mutating func string() throws(JSONFailure) -> String {
        try beginValue()
        guard next == UInt8(ascii: "\"") else { throw .mismatch(at: at) }
        let start = at
        let text = text(of: try scanString())
        guard isComparable(text) else { throw .mismatch(at: start, Self.manyMarks) }
        return text
    }

    /// A member's name. It is compared with others.
    func name(_ string: JSONString) throws(JSONFailure) -> String {
        let text = text(of: string)
        guard isComparable(text) else { throw .malformed("a name cannot be read: \(Self.manyMarks)") }
        return text
    }

    private func isComparable(_ text: String) -> Bool { !isUntrusted || CombiningMarks.areFew(in: text) }

    private static var manyMarks: String { "it has more than \(CombiningMarks.most) combining marks in a row" }

    /// Checks the string at which the reader stands, and goes behind it.
    mutating func scanString() throws(JSONFailure) -> JSONString {
        at += 1
        let start = at
        var isEscaped = false
        var union: UInt8 = 0
        while at < bytes.count {
            let byte = bytes[at]
            union |= byte
            switch byte {
            case UInt8(ascii: "\""):
                let string = JSONString(range: start..<at, isEscaped: isEscaped, isASCII: union < 0x80)
                if !string.isASCII { try checkUTF8(string.range) }
                at += 1
                return string
            case UInt8(ascii: "\\"):
                isEscaped = true
                at += 1
                _ = try escape()
            case ..<0x20: throw malformed("a string without control characters")
            default: at += 1
            }
        }
        throw malformed("the end of a string")
    }

    private func checkUTF8(_ range: Range<Int>) throws(JSONFailure) {
        // `try?`: only whether it is valid matters.
        guard (try? UTF8Span(validating: bytes.span.extracting(range))) != nil else {
            throw .malformed("the message is not UTF-8")
        }
    }

    /// The text of a string that was checked.
    func text(of string: JSONString) -> String {
        guard string.isEscaped else { return String(decoding: bytes[string.range], as: UTF8.self) }
        return unescaped(string.range)
    }

    private func unescaped(_ range: Range<Int>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        // It may be a secret. Its text is never longer than its escaped form, so it lies in one place only.
        defer { Wipe.bytes(&text) }
        var reader = JSONReader(bytes)
        reader.at = range.lowerBound
        while reader.at < range.upperBound {
            let byte = bytes[reader.at]
            reader.at += 1
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            // `try?`: the string was checked.
            if let scalar = try? reader.escape() { text.append(contentsOf: UTF8.encode(scalar) ?? .init()) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads an escape behind its backslash.
    private mutating func escape() throws(JSONFailure) -> Unicode.Scalar {
        do throws(JSONEscape.Expected) { return try JSONEscape.read(bytes, &at) } catch { throw malformed(error.what) }
    }
}
