/// Integers in the byte order of all of Coffer's formats.
public enum BigEndian {
    public static func bytes<Integer: FixedWidthInteger>(_ integer: Integer) -> [UInt8] {
        stride(from: Integer.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: integer >> Integer($0)) }
    }
}
