/// Padded base64 (RFC 4648, section 4), straight from bytes to text and back: no copy of a secret is made on the way.
public enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    public static func encode(_ bytes: [UInt8]) -> String { text(of: bytes.span) }

    /// The same for bytes that somebody else owns, such as a secret.
    public static func text(of bytes: Span<UInt8>) -> String {
        let digits = digits
        let length = (bytes.count + 2) / 3 * 4
        return unsafe String(unsafeUninitializedCapacity: length) { text in
            var place = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let left = bytes.count - start
                let first = bytes[start]
                let second = left > 1 ? bytes[start + 1] : 0
                let third = left > 2 ? bytes[start + 2] : 0
                unsafe text[place] = digits[Int(first >> 2)]
                unsafe text[place + 1] = digits[Int((first & 0x03) << 4 | second >> 4)]
                unsafe text[place + 2] = left > 1 ? digits[Int((second & 0x0F) << 2 | third >> 6)] : padding
                unsafe text[place + 3] = left > 2 ? digits[Int(third & 0x3F)] : padding
                place += 4
            }
            return length
        }
    }

    /// - Returns: nil unless the text is complete, padded base64, in the one spelling that its bytes have.
    public static func decode(_ text: String) -> [UInt8]? {
        guard let length = length(of: text) else { return nil }
        var isValid = true
        var bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, written in
            isValid = unsafe decode(text, into: UnsafeMutableRawBufferPointer(buffer), &written)
        }
        guard isValid else {
            Wipe.bytes(&bytes)
            return nil
        }
        return bytes
    }

    /// How many bytes a text stands for, if it is base64; nil if no base64 has its length.
    public static func length(of text: String) -> Int? {
        let count = text.utf8.count
        return count.isMultiple(of: 4) ? count / 4 * 3 - padded(text) : nil
    }

    /// Decodes into memory of the caller's, such as memory for secrets, and nowhere else.
    ///
    /// - Parameters:
    ///   - buffer: has room for ``length(of:)``.
    ///   - written: the number of bytes that were written, also after a failure.
    /// - Returns: whether the text is base64, as for ``decode(_:)``.
    @unsafe
    public static func decode(
        _ text: String, into buffer: UnsafeMutableRawBufferPointer, _ written: inout Int
    ) -> Bool {
        let digits = text.utf8.count - padded(text)
        var group: UInt32 = 0
        var read = 0
        for character in text.utf8 {
            guard let digit = read >= digits ? 0 : value(character) else { return false }
            group = group << 6 | UInt32(digit)
            read += 1
            guard read.isMultiple(of: 4) else { continue }
            for shift in stride(from: UInt32(16), through: 0, by: -8) {
                let byte = UInt8(truncatingIfNeeded: group >> shift)
                if written < buffer.count {
                    unsafe buffer[written] = byte
                    written += 1
                } else if byte != 0 {
                    // Bits after the end would be another spelling of the same bytes.
                    return false
                }
            }
            group = 0
        }
        return true
    }

    private static func padded(_ text: String) -> Int {
        text.utf8.reversed().prefix(2).prefix { $0 == padding }.count
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
