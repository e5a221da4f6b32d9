import CPAMModule

/// A JSON value, read in place without building anything. Bytes that are not JSON have no members and no text.
@safe struct Value {
    private let bytes: UnsafeRawBufferPointer
    private static let deepest = 16

    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

    /// The object's member of this name; nil if there is none.
    subscript(name: StaticString) -> Value? {
        var position = blanks(0)
        guard byte(position) == UInt8(ascii: "{") else { return nil }
        repeat {
            let key = blanks(position + 1)
            guard byte(key) == UInt8(ascii: "\""), let keyEnd = end(of: key, Self.deepest) else { return nil }
            let colon = blanks(keyEnd)
            guard byte(colon) == UInt8(ascii: ":") else { return nil }
            let value = blanks(colon + 1)
            guard let valueEnd = end(of: value, Self.deepest) else { return nil }
            if part(key, keyEnd).isText(name) { return part(value, valueEnd) }
            position = blanks(valueEnd)
        } while byte(position) == UInt8(ascii: ",")
        return nil
    }

    /// The element of an array that has exactly one.
    var only: Value? {
        let open = blanks(0)
        guard byte(open) == UInt8(ascii: "[") else { return nil }
        let start = blanks(open + 1)
        guard let stop = end(of: start, Self.deepest), byte(blanks(stop)) == UInt8(ascii: "]") else { return nil }
        return part(start, stop)
    }

    /// The bytes between a text's quotes; nil if any of them is escaped. No text that matters here has escapes.
    var text: UnsafeRawBufferPointer? {
        guard byte(0) == UInt8(ascii: "\""), let end = endOfText(0), unsafe end == bytes.count else { return nil }
        let inside = unsafe UnsafeRawBufferPointer(rebasing: bytes[1..<(bytes.count - 1)])
        for index in inside.indices where unsafe inside[index] == UInt8(ascii: "\\") { return nil }
        return unsafe inside
    }

    func isText(_ wanted: StaticString) -> Bool {
        guard let text = unsafe text, text.count == wanted.utf8CodeUnitCount else { return false }
        return unsafe text.count == 0 || memcmp(text.baseAddress!, wanted.utf8Start, text.count) == 0
    }

    var isTrue: Bool {
        unsafe bytes.count == 4 && memcmp(bytes.baseAddress!, ("true" as StaticString).utf8Start, 4) == 0
    }

    private func part(_ start: Int, _ end: Int) -> Value {
        unsafe Value(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }

    private func byte(_ position: Int) -> UInt8? { unsafe position < bytes.count ? bytes[position] : nil }

    private func blanks(_ start: Int) -> Int {
        var position = start
        while let byte = byte(position), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
        return position
    }

    /// - Returns: the position after the value that starts here; nil if it does not end, or is nested too deeply.
    private func end(of start: Int, _ depth: Int) -> Int? {
        switch byte(start) {
        case UInt8(ascii: "\""): return endOfText(start)
        case UInt8(ascii: "{"): return endOfList(start, UInt8(ascii: "}"), depth)
        case UInt8(ascii: "["): return endOfList(start, UInt8(ascii: "]"), depth)
        default:
            var position = start
            while let byte = byte(position), Self.isWordByte(byte) { position += 1 }
            return position > start ? position : nil
        }
    }

    private func endOfText(_ start: Int) -> Int? {
        var position = start + 1
        while let byte = byte(position) {
            if byte == UInt8(ascii: "\"") { return position + 1 }
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    private func endOfList(_ start: Int, _ close: UInt8, _ depth: Int) -> Int? {
        guard depth > 0 else { return nil }
        var position = blanks(start + 1)
        if byte(position) == close { return position + 1 }
        while true {
            guard var stop = end(of: position, depth - 1) else { return nil }
            if close == UInt8(ascii: "}") {
                let colon = blanks(stop)
                guard byte(position) == UInt8(ascii: "\""), byte(colon) == UInt8(ascii: ":"),
                    let valueEnd = end(of: blanks(colon + 1), depth - 1)
                else { return nil }
                stop = valueEnd
            }
            position = blanks(stop)
            if byte(position) == close { return position + 1 }
            guard byte(position) == UInt8(ascii: ",") else { return nil }
            position = blanks(position + 1)
        }
    }

    /// Whether the byte belongs to a number or to true, false or null.
    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            return true
        default: return false
        }
    }
}
