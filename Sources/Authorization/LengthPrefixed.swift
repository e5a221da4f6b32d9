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
    public static func bytes<Integer: FixedWidthInteger>(_ integer: Integer) -> [UInt8] {
        stride(from: Integer.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: integer >> Integer($0)) }
    }
}
