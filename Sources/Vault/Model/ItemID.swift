import Authorization
import Cryptography

/// An item's permanent id: 16 random bytes, written as a UUID.
public struct ItemID: Hashable, Sendable, CustomStringConvertible {
    public static let count = 16

    public let bytes: [UInt8]

    /// - Returns: nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    private init(random bytes: [UInt8]) { self.bytes = bytes }

    public static func random() throws(CryptographyError) -> ItemID { ItemID(random: try Random.bytes(count)) }

    /// Lower-case, `8-4-4-4-12`.
    public var description: String {
        let digits = Hex.encode(bytes)
        var parts: [Substring] = []
        var start = digits.startIndex
        for length in [8, 4, 4, 4, 12] {
            let end = digits.index(start, offsetBy: length)
            parts.append(digits[start..<end])
            start = end
        }
        return parts.joined(separator: "-")
    }
}
