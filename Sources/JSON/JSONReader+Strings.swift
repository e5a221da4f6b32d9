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
        return try text(of: scanString())
    }

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
        guard let byte = next else { throw malformed("the rest of an escape") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar()
        default: throw malformed("an escape that JSON has")
        }
    }

    private mutating func escapedScalar() throws(JSONFailure) -> Unicode.Scalar {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A surrogate is half a character, so the other half must follow.
        guard (0xD800..<0xDC00).contains(first), next == UInt8(ascii: "\\") else { throw malformed("a character") }
        at += 1
        try take("u", "the other half of a character")
        let second = try hexadecimal()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw malformed("the other half of a character") }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONFailure) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch next {
            case .some(let byte) where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): digit = byte - 0x30
            case .some(let byte) where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte): digit = byte - 0x57
            case .some(let byte) where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte): digit = byte - 0x37
            default: throw malformed("four hexadecimal digits")
            }
            number = number << 4 | UInt32(digit)
            at += 1
        }
        return number
    }
}
