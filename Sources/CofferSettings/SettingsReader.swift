import JSON

/// Reads JSON from a file that anything may have written. It takes what RFC 8259 defines and nothing else, refuses a name
/// that comes twice in an object, and keeps whole numbers exact.
struct SettingsReader {
    /// Why a text is not taken, as the end of a sentence.
    struct Malformed: Error, Equatable {
        let reason: String
    }

    private let bytes: [UInt8]
    private var at = 0

    /// - Parameter depth: the deepest nesting that is accepted.
    static func read(_ bytes: [UInt8], depth: Int) throws(Malformed) -> SettingsJSON {
        // `try?`: only the validity of the text matters here.
        guard (try? UTF8Span(validating: bytes.span)) != nil else { throw Malformed(reason: "it is not UTF-8") }
        var reader = SettingsReader(bytes: bytes)
        reader.skipSpace()
        let value = try reader.value(depth: depth)
        reader.skipSpace()
        guard reader.next == nil else { throw reader.malformed("the end") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private func malformed(_ expected: String) -> Malformed {
        Malformed(reason: "\(expected) is expected at byte \(at)")
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func value(depth: Int) throws(Malformed) -> SettingsJSON {
        guard depth >= 0 else { throw Malformed(reason: "it is nested too deep") }
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number()
        default: throw malformed("a value")
        }
    }

    private mutating func word(_ word: String, _ value: SettingsJSON) throws(Malformed) -> SettingsJSON {
        guard bytes[at...].starts(with: word.utf8) else { throw malformed("“\(word)”") }
        at += word.utf8.count
        return value
    }

    /// Whether a list goes on after one of its members.
    private mutating func goesOn(until end: Unicode.Scalar) throws(Malformed) -> Bool {
        skipSpace()
        let byte = next
        guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: end) else { throw malformed("“,” or “\(end)”") }
        at += 1
        skipSpace()
        return byte == UInt8(ascii: ",")
    }

    /// Whether a list that has just begun ends at once.
    private mutating func isEmpty(until end: Unicode.Scalar) -> Bool {
        at += 1
        skipSpace()
        guard next == UInt8(ascii: end) else { return false }
        at += 1
        return true
    }

    private mutating func object(depth: Int) throws(Malformed) -> [String: SettingsJSON] {
        var members: [String: SettingsJSON] = [:]
        if isEmpty(until: "}") { return members }
        repeat {
            guard next == UInt8(ascii: "\"") else { throw malformed("a member's name") }
            let name = try string()
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw malformed("“:”") }
            at += 1
            skipSpace()
            let value = try value(depth: depth - 1)
            guard members.updateValue(value, forKey: name) == nil else {
                throw Malformed(reason: "an object has a name twice")
            }
        } while try goesOn(until: "}")
        return members
    }

    private mutating func array(depth: Int) throws(Malformed) -> [SettingsJSON] {
        var elements: [SettingsJSON] = []
        if isEmpty(until: "]") { return elements }
        repeat { elements.append(try value(depth: depth - 1)) } while try goesOn(until: "]")
        return elements
    }

    private mutating func string() throws(Malformed) -> String {
        at += 1
        var text = ""
        var plain = at
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += String(decoding: bytes[plain..<at], as: UTF8.self)
                at += 1
                return text
            case UInt8(ascii: "\\"):
                text += String(decoding: bytes[plain..<at], as: UTF8.self)
                at += 1
                text.unicodeScalars.append(try escape())
                plain = at
            case ..<0x20: throw malformed("a string without control characters")
            default: at += 1
            }
        }
        throw malformed("the end of a string")
    }

    private mutating func escape() throws(Malformed) -> Unicode.Scalar {
        do throws(JSONEscape.Expected) { return try JSONEscape.read(bytes, &at) } catch { throw malformed(error.what) }
    }

    private mutating func number() throws(Malformed) -> SettingsJSON {
        let start = at
        var isWhole = true
        if next == UInt8(ascii: "-") { at += 1 }
        if next == UInt8(ascii: "0") { at += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            isWhole = false
            at += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isWhole = false
            at += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if isWhole {
            guard let value = Int64(text) else { throw Malformed(reason: "a whole number has more than 64 bits") }
            return .integer(value)
        }
        guard let value = Double(text), value.isFinite else { throw Malformed(reason: "a number is too large") }
        return .number(value)
    }

    private mutating func digits() throws(Malformed) {
        guard let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
            throw malformed("a digit")
        }
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
    }
}
