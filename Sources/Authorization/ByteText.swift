/// Hexadecimal in lower case, as in the registry.
public enum Hex {
    public static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            result.append(digits[Int(byte >> 4)])
            result.append(digits[Int(byte & 15)])
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// - Returns: nil for anything but pairs of hexadecimal digits.
    public static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            result.append(high << 4 | low)
        }
        return result
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Padded base64 (RFC 4648, section 4) of what is no secret: nonces, hashes, signatures, public keys.
public enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let group = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - part.count))
            for place in 0..<4 {
                let digit = digits[Int(group >> UInt32(18 - 6 * place) & 63)]
                text.append(place <= part.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil unless the text is complete, padded base64.
    public static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        let padding = characters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3)
        var group: UInt32 = 0
        for (index, character) in characters.dropLast(padding).enumerated() {
            guard let digit = value(character) else { return nil }
            group = group << 6 | UInt32(digit)
            // A digit completes a byte, but for the first one of each group.
            let kept = UInt32(3 - index % 4) * 2
            if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: group >> kept)) }
        }
        return bytes
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

/// Joins byte strings before they are hashed or authenticated; there is no other way. Each comes after its length, so
/// that no two lists give the same bytes (docs/vault-format.md, "Notation").
public enum LengthPrefixed {
    /// `u32 length ‖ bytes` for each part, in order.
    public static func encode(_ parts: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(parts.reduce(0) { $0 + 4 + $1.count })
        for part in parts {
            result += BigEndian.bytes(UInt32(part.count))
            result += part
        }
        return result
    }

    public static func encode(_ parts: [UInt8]...) -> [UInt8] { encode(parts) }
}

/// Integers in the byte order of all of Coffer's formats.
public enum BigEndian {
    @inlinable
    public static func bytes<Integer: FixedWidthInteger>(_ integer: Integer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Integer.bitWidth / 8)
        for shift in stride(from: Integer.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: integer >> shift))
        }
        return bytes
    }
}
