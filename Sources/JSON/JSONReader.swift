/// Reads one JSON object (RFC 8259) in one pass, straight into the types of a message, and accepts nothing that two
/// readers could read differently: no name twice, no trailing comma, no `01`. Members that nobody asks for are checked
/// like all others, and passed over.
///
/// It takes no memory on the word of the bytes, and keeps none of their text.
public struct JSONReader: ~Copyable {
    /// The deepest nesting. No message needs as much, and every stack has room for it.
    public static let deepest = 32
    /// The most values. The cost of reading is the work for each value, not its bytes.
    public static let mostValues = 20_000

    let bytes: [UInt8]
    /// The byte that is read next.
    public internal(set) var at = 0
    var values = 0
    var depth = 0
    /// Names that the next object is asked for beside its own, and where their values are.
    var besides: [String] = []
    var noted: [(name: String, at: Int)] = []
    var trail = JSONTrail()
    /// Whether texts are refused that take long to compare.
    let isUntrusted: Bool

    init(_ bytes: [UInt8], from start: Int = 0, isUntrusted: Bool = false) {
        self.bytes = bytes
        self.isUntrusted = isUntrusted
        at = start
    }

    /// Reads bytes that are exactly one object.
    /// - Parameters:
    ///   - start: where it begins.
    ///   - isUntrusted: whether texts and names are refused that have more than ``CombiningMarks/most`` marks in a row.
    ///     To compare them can take minutes.
    /// - Throws: ``JSONFailure``. If the bytes are malformed anywhere, the error is `malformed`.
    public static func read<Value>(
        _ bytes: [UInt8], from start: Int = 0, isUntrusted: Bool = false,
        _ body: (inout JSONReader) throws(JSONFailure) -> Value
    ) throws(JSONFailure) -> Value {
        var reader = JSONReader(bytes, from: start, isUntrusted: isUntrusted)
        do throws(JSONFailure) {
            try reader.beginWhole()
            let value = try body(&reader)
            try reader.endWhole()
            return value
        } catch {
            if error.malformation == nil { try check(bytes, from: start, isUntrusted: isUntrusted) }
            throw error
        }
    }

    /// Reads bytes that are exactly one object.
    /// - Throws: ``JSONFailure``.
    public static func read<Value: JSONReadable>(
        _ type: Value.Type, from bytes: [UInt8], at start: Int = 0
    ) throws(JSONFailure) -> Value {
        try read(bytes, from: start) { (reader) throws(JSONFailure) in try Value(from: &reader) }
    }

    /// Reads bytes that are exactly one value, object or not.
    /// - Throws: ``JSONFailure``.
    public static func readValue<Value: JSONReadable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(JSONFailure) -> Value {
        var reader = JSONReader(bytes)
        reader.skipSpace()
        let value = try Value(from: &reader)
        try reader.endWhole()
        return value
    }

    /// Checks that bytes are exactly one object, and keeps nothing of it.
    /// - Throws: `malformed`.
    public static func check(
        _ bytes: [UInt8], from start: Int = 0, isUntrusted: Bool = false
    ) throws(JSONFailure) {
        var reader = JSONReader(bytes, from: start, isUntrusted: isUntrusted)
        try reader.beginWhole()
        try reader.skipValue()
        try reader.endWhole()
    }

    private mutating func beginWhole() throws(JSONFailure) {
        skipSpace()
        guard next == UInt8(ascii: "{") else {
            throw .malformed("a message is one JSON object, ended by a zero byte")
        }
    }

    private mutating func endWhole() throws(JSONFailure) {
        skipSpace()
        guard next == nil else { throw .malformed("something follows the JSON object") }
    }

    var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    func malformed(_ expected: String) -> JSONFailure {
        .malformed("it is not JSON: \(expected) is expected at byte \(at)")
    }

    static var nameTwice: JSONFailure { .malformed("an object has a name twice") }

    mutating func skipSpace() {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x0A, 0x0D, 0x09: at += 1
            default: return
            }
        }
    }

    mutating func take(_ character: Unicode.Scalar, _ name: String) throws(JSONFailure) {
        guard next == UInt8(ascii: character) else { throw malformed(name) }
        at += 1
    }

    mutating func word(_ word: String) throws(JSONFailure) {
        for byte in word.utf8 {
            guard next == byte else { throw malformed("“\(word)”") }
            at += 1
        }
    }

    /// Counts a value, before anything is made of it.
    mutating func beginValue() throws(JSONFailure) {
        values += 1
        guard values <= Self.mostValues else { throw .malformed("the message has more than \(Self.mostValues) values") }
    }

    private mutating func goDeeper() throws(JSONFailure) {
        depth += 1
        guard depth <= Self.deepest else {
            throw .malformed("the message is nested deeper than \(Self.deepest) levels")
        }
    }

    mutating func beginObject() throws(JSONFailure) {
        try beginValue()
        guard next == UInt8(ascii: "{") else { throw .mismatch(at: at) }
        try goDeeper()
        at += 1
        skipSpace()
    }

    mutating func beginArray() throws(JSONFailure) {
        try beginValue()
        guard next == UInt8(ascii: "[") else { throw .mismatch(at: at) }
        try goDeeper()
        at += 1
        skipSpace()
    }

    /// Goes to an array's next element.
    /// - Returns: false behind the last one.
    mutating func nextElement(isFirst: Bool) throws(JSONFailure) -> Bool {
        skipSpace()
        if next == UInt8(ascii: "]") {
            at += 1
            depth -= 1
            return false
        }
        guard !isFirst else { return true }
        try take(",", "“,” or “]”")
        skipSpace()
        return true
    }

    /// Goes to an object's next name.
    /// - Returns: false behind the last one.
    mutating func goToName(isFirst: Bool) throws(JSONFailure) -> Bool {
        skipSpace()
        if next == UInt8(ascii: "}") {
            at += 1
            depth -= 1
            return false
        }
        if !isFirst {
            try take(",", "“,” or “}”")
            skipSpace()
        }
        guard next == UInt8(ascii: "\"") else { throw malformed("a member's name") }
        return true
    }

    mutating func nextName(isFirst: Bool) throws(JSONFailure) -> String? {
        guard try goToName(isFirst: isFirst) else { return nil }
        return try name(scanString())
    }

    mutating func takeColon() throws(JSONFailure) {
        skipSpace()
        try take(":", "“:”")
        skipSpace()
    }
}
