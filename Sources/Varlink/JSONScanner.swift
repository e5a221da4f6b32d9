/// Checks that bytes are one JSON object as RFC 8259 defines it, and keeps nothing of it. A decoder is more lenient, and two decoders may treat a
/// repeated name differently.
struct JSONScanner {
    private let bytes: [UInt8]
    private var at = 0
    private var values = 0

    static func check(_ bytes: [UInt8]) throws(MalformedMessage) {
        var scanner = JSONScanner(bytes: bytes)
        scanner.skipSpace()
        guard scanner.next == UInt8(ascii: "{") else {
            throw MalformedMessage("a message is one JSON object, ended by a zero byte")
        }
        // The text is not kept, because only its validity matters.
        guard (try? UTF8Span(validating: bytes.span)) != nil else { throw MalformedMessage("the message is not UTF-8") }
        try scanner.value(depth: 0)
        scanner.skipSpace()
        guard scanner.next == nil else { throw MalformedMessage("something follows the JSON object") }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private func malformed(_ expected: String) -> MalformedMessage {
        MalformedMessage("it is not JSON: \(expected) is expected at byte \(at)")
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar, _ name: String) throws(MalformedMessage) {
        guard next == UInt8(ascii: character) else { throw malformed(name) }
        at += 1
    }

    private mutating func value(depth: Int) throws(MalformedMessage) {
        values += 1
        guard values <= Varlink.mostValues else {
            throw MalformedMessage("the message has more than \(Varlink.mostValues) values")
        }
        switch next {
        case UInt8(ascii: "{"): try object(depth: depth + 1)
        case UInt8(ascii: "["): try array(depth: depth + 1)
        case UInt8(ascii: "\""): _ = try string(keeping: false)
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try number()
        default: throw malformed("a value")
        }
    }

    private mutating func object(depth: Int) throws(MalformedMessage) {
        guard depth <= Varlink.deepest else {
            throw MalformedMessage("the message is nested deeper than \(Varlink.deepest) levels")
        }
        try take("{", "“{”")
        skipSpace()
        var names: Set<String> = []
        while next != UInt8(ascii: "}") || !names.isEmpty {
            guard next == UInt8(ascii: "\"") else { throw malformed("a member's name") }
            // The decoder compares names in the same way: two spellings that Unicode calls equal are one name.
            guard names.insert(try string(keeping: true)).inserted else {
                throw MalformedMessage("an object has a name twice")
            }
            skipSpace()
            try take(":", "“:”")
            skipSpace()
            try value(depth: depth)
            skipSpace()
            if next == UInt8(ascii: "}") { break }
            try take(",", "“,” or “}”")
            skipSpace()
        }
        try take("}", "“}”")
    }

    private mutating func array(depth: Int) throws(MalformedMessage) {
        guard depth <= Varlink.deepest else {
            throw MalformedMessage("the message is nested deeper than \(Varlink.deepest) levels")
        }
        try take("[", "“[”")
        skipSpace()
        if next == UInt8(ascii: "]") {
            at += 1
            return
        }
        while true {
            try value(depth: depth)
            skipSpace()
            if next == UInt8(ascii: "]") { break }
            try take(",", "“,” or “]”")
            skipSpace()
        }
        at += 1
    }

    /// - Parameter keeping: whether to keep the text. A value's text is not kept, because it may be a secret.
    private mutating func string(keeping: Bool) throws(MalformedMessage) -> String {
        at += 1
        var text = ""
        var plain = at
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                if keeping { text += String(decoding: bytes[plain..<at], as: UTF8.self) }
                at += 1
                return text
            case UInt8(ascii: "\\"):
                if keeping { text += String(decoding: bytes[plain..<at], as: UTF8.self) }
                at += 1
                let scalar = try escape()
                if keeping { text.unicodeScalars.append(scalar) }
                plain = at
            case ..<0x20: throw malformed("a string without control characters")
            default: at += 1
            }
        }
        throw malformed("the end of a string")
    }

    private mutating func escape() throws(MalformedMessage) -> Unicode.Scalar {
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

    private mutating func escapedScalar() throws(MalformedMessage) -> Unicode.Scalar {
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

    private mutating func hexadecimal() throws(MalformedMessage) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw malformed("four hexadecimal digits")
            }
            number = number << 4 | UInt32(digit)
            at += 1
        }
        return number
    }

    private mutating func number() throws(MalformedMessage) {
        if next == UInt8(ascii: "-") { at += 1 }
        if next == UInt8(ascii: "0") { at += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            at += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
    }

    private mutating func digits() throws(MalformedMessage) {
        guard let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
            throw malformed("a digit")
        }
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
    }

    private mutating func word(_ word: String) throws(MalformedMessage) {
        for byte in word.utf8 {
            guard next == byte else { throw malformed("“\(word)”") }
            at += 1
        }
    }
}
