import CPAMModule

/// Bytes that are appended one after the other, never beyond the end of the buffer.
@safe struct Message {
    let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    /// Whether everything has fitted.
    private(set) var isWhole = true

    init(buffer: UnsafeMutableRawBufferPointer) { unsafe self.buffer = unsafe buffer }

    mutating func append(_ text: StaticString) {
        unsafe append(UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount)
    }

    mutating func append(_ bytes: UnsafeRawPointer, count added: Int) {
        guard unsafe added <= buffer.count - count else {
            isWhole = false
            return
        }
        unsafe memcpy(buffer.baseAddress! + count, bytes, added)
        count += added
    }

    /// Appends a complete call without parameters.
    mutating func append(method: StaticString) {
        append("{\"method\":\"")
        append(method)
        append("\",\"parameters\":{}}\0")
    }

    /// Appends a complete call with one string.
    /// - Parameter list: another parameter, a list of one of the protocol's words.
    mutating func append(
        method: StaticString, list: (name: StaticString, word: StaticString)? = nil, parameter: StaticString,
        _ text: UnsafeRawBufferPointer
    ) {
        append("{\"method\":\"")
        append(method)
        append("\",\"parameters\":{\"")
        if let list {
            append(list.name)
            append("\":[\"")
            append(list.word)
            append("\"],\"")
        }
        append(parameter)
        append("\":\"")
        for index in text.indices { unsafe append(escaping: text[index]) }
        append("\"}}\0")
    }

    /// Appends one byte of a JSON string.
    private mutating func append(escaping byte: UInt8) {
        let digits: StaticString = "0123456789abcdef"
        guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { return append(byte) }
        append("\\u00")
        append(unsafe digits.utf8Start[Int(byte >> 4)])
        append(unsafe digits.utf8Start[Int(byte & 15)])
    }

    private mutating func append(_ byte: UInt8) {
        var byte = byte
        unsafe append(&byte, count: 1)
    }
}
