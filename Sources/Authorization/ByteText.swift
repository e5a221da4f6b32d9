/// Hexadecimal in lower case, as in the registry.
public enum Hex {
    public static func encode(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        for byte in bytes { append(byte, to: &result) }
        return String(decoding: result, as: UTF8.self)
    }

    /// Appends a byte's two digits.
    public static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
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
