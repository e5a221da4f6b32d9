/// The TPM counter that a vault's epoch is compared with (docs/vault-format.md, "Epoch and counter").
public struct CounterPin: Codable, Sendable, Hashable {
    /// The NV index, in the owners' range.
    public let handle: UInt32
    /// The counter's value minus the epoch. It never changes, even if the counter must be made again.
    public let base: UInt64
    /// ESYS's serialized form of handle, Name and public area. With it, using the counter needs no extra command.
    public let context: [UInt8]

    /// - Returns: nil for a handle or context that no counter can have.
    public init?(handle: UInt32, base: UInt64, context: [UInt8]) {
        guard IndexPin.ownersHandles.contains(handle), (1...Registry.longestContext).contains(context.count) else {
            return nil
        }
        self.handle = handle
        self.base = base
        self.context = context
    }

    enum CodingKeys: String, CodingKey { case handle, base, context }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let pin = CounterPin(
            handle: try container.decode(UInt32.self, forKey: .handle),
            base: try container.decode(UInt64.self, forKey: .base),
            context: try container.decodeHex(forKey: .context))
        guard let pin else {
            throw DecodingError.dataCorruptedError(
                forKey: .handle, in: container, debugDescription: "no counter can have this handle or context")
        }
        self = pin
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(handle, forKey: .handle)
        try container.encode(base, forKey: .base)
        try container.encode(Hex.encode(context), forKey: .context)
    }
}
