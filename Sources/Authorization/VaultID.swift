import Cryptography
import JSON

/// A vault's own id: 16 random bytes, made once. Written in hexadecimal.
public struct VaultID: Hashable, JSONValue, CustomStringConvertible {
    /// The length in bytes.
    public static let count = 16

    public let bytes: [UInt8]

    /// - Returns: nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    /// - Returns: nil unless it is 32 hexadecimal digits.
    public init?(hex: String) {
        guard let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    private init(random bytes: [UInt8]) { self.bytes = bytes }

    public static func random() throws(CryptographyError) -> VaultID { VaultID(random: try Random.bytes(16)) }

    public var hex: String { Hex.encode(bytes) }

    public var description: String { hex }

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        guard let id = VaultID(hex: try reader.string()) else {
            throw .mismatch(at: start, "a vault id is 32 hexadecimal digits")
        }
        self = id
    }

    public func write(to writer: inout JSONWriter) { hex.write(to: &writer) }
}
