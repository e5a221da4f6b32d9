/// One character that a string of JSON spells with a backslash (RFC 8259, section 7).
package enum JSONEscape {
    /// What should stand where the bytes have something else.
    package struct Expected: Error {
        package let what: String
    }

    /// Reads an escape behind its backslash.
    /// - Parameter at: where it begins, and then the byte behind it; after an error, the byte that is wrong.
    package static func read(_ bytes: [UInt8], _ at: inout Int) throws(Expected) -> Unicode.Scalar {
        guard at < bytes.count else { throw Expected(what: "the rest of an escape") }
        let byte = bytes[at]
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try numbered(bytes, &at)
        default: throw Expected(what: "an escape that JSON has")
        }
    }

    private static func numbered(_ bytes: [UInt8], _ at: inout Int) throws(Expected) -> Unicode.Scalar {
        let first = try hexadecimal(bytes, &at)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A surrogate is half a character, so the other half must follow.
        guard (0xD800..<0xDC00).contains(first), bytes[at...].starts(with: "\\u".utf8) else {
            throw Expected(what: "a character")
        }
        at += 2
        let second = try hexadecimal(bytes, &at)
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw Expected(what: "the other half of a character") }
        return scalar
    }

    private static func hexadecimal(_ bytes: [UInt8], _ at: inout Int) throws(Expected) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch at < bytes.count ? bytes[at] : 0 {
            case let byte where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): digit = byte - 0x30
            case let byte where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte): digit = byte - 0x57
            case let byte where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte): digit = byte - 0x37
            default: throw Expected(what: "four hexadecimal digits")
            }
            number = number << 4 | UInt32(digit)
            at += 1
        }
        return number
    }
}
