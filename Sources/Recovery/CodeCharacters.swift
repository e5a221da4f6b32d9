/// The characters of the codes that people read out and type: Crockford's base32, which has no two that are mistaken for
/// each other. Each stands for five bits.
public enum CodeCharacters {
    public static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// - Returns: nil for a character that is skipped: a blank, the end of a line, or `-`.
    public static func normalized(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): nil
        case UInt8(ascii: "o"), UInt8(ascii: "O"): UInt8(ascii: "0")
        case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"): UInt8(ascii: "1")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
        default: byte
        }
    }

    /// The first characters of a digest, its first bits first.
    ///
    /// - Parameters:
    ///   - digest: 32 bytes.
    ///   - count: at most 49.
    public static func of(_ digest: [UInt8], count: Int) -> [UInt8] {
        (0..<count).map { index in
            let bit = 5 * index
            let pair = UInt16(digest[bit / 8]) << 8 | UInt16(digest[bit / 8 + 1])
            return alphabet[Int(pair >> UInt16(11 - bit % 8) & 31)]
        }
    }
}
