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

/// How a vault is tied to the measured boot (docs/boot.md). The registry keeps this, so the vault's file cannot choose
/// which registers count.
public struct BootPin: Codable, Sendable, Hashable {
    /// The boot loader and kernel that were started (PCR 4), and the Secure Boot policy (PCR 7); docs/boot.md, "Which
    /// registers".
    public static let standardRegisters = [4, 7]

    /// The index of the approved boots. Only the approving key can write it.
    public let index: IndexPin
    /// Registers of the SHA-256 bank, sorted and without duplicates; at least one.
    public let registers: [Int]

    /// - Returns: nil if a register cannot be selected, if there is none, or if one is named twice.
    public init?(index: IndexPin, registers: [Int]) {
        guard Self.areSelectable(registers) else { return nil }
        self.index = index
        self.registers = registers.sorted()
    }

    /// Whether these registers can identify a boot: 0 to 22 without 16. Any program may reset 16 and 23.
    public static func areSelectable(_ registers: [Int]) -> Bool {
        !registers.isEmpty && Set(registers).count == registers.count
            && registers.allSatisfy { (0...22).contains($0) && $0 != 16 }
    }

    enum CodingKeys: String, CodingKey { case index, registers }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let pin = BootPin(
            index: try container.decode(IndexPin.self, forKey: .index),
            registers: try container.decode([Int].self, forKey: .registers))
        guard let pin else {
            throw DecodingError.dataCorruptedError(
                forKey: .registers, in: container, debugDescription: "no vault is tied to such registers")
        }
        self = pin
    }
}
