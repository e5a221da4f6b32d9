/// The TPM's storage key as it was when the vault was made. If another key is in its place, the TPM was replaced or
/// cleared.
public struct StorageKeyPin: Codable, Sendable, Equatable {
    /// A persistent handle, 0x81000001 wherever possible.
    public let handle: UInt32
    /// 34 bytes: the name algorithm and the SHA-256 of the public area.
    public let name: [UInt8]
    /// ESYS's serialized form of handle, Name and public area. With it, using the key needs no extra command.
    public let context: [UInt8]

    public init(handle: UInt32, name: [UInt8], context: [UInt8]) {
        self.handle = handle
        self.name = name
        self.context = context
    }

    enum CodingKeys: String, CodingKey { case handle, name, context }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        handle = try container.decode(UInt32.self, forKey: .handle)
        name = try container.decodeHex(forKey: .name)
        context = try container.decodeHex(forKey: .context)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(handle, forKey: .handle)
        try container.encode(Hex.encode(name), forKey: .name)
        try container.encode(Hex.encode(context), forKey: .context)
    }
}

extension KeyedDecodingContainer {
    func decodeHex(forKey key: Key) throws -> [UInt8] {
        guard let bytes = Hex.decode(try decode(String.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "expected hexadecimal digits")
        }
        return bytes
    }
}
