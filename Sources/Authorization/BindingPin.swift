/// An NV index that a policy relies on. It counts the tries of a bound vault's password, holds the approved boots, or
/// stands for a generation of keys. The pin has what is needed to compute the index's Name (docs/vault-format.md, "A
/// bound vault", "A vault that is tied to the boot").
public struct IndexPin: Codable, Sendable, Hashable {
    /// The NV index, in the owners' range (TCG Registry of Reserved TPM 2.0 Handles and Localities, section 2.2.2).
    public let handle: UInt32
    /// The authPolicy of the index, 32 bytes. It decides who may write the index.
    public let policy: [UInt8]

    static let ownersHandles: ClosedRange<UInt32> = 0x0180_0000...0x01BF_FFFF

    /// - Returns: nil for a handle or policy that no such index can have.
    public init?(handle: UInt32, policy: [UInt8]) {
        guard Self.ownersHandles.contains(handle), policy.count == 32 else { return nil }
        self.handle = handle
        self.policy = policy
    }

    enum CodingKeys: String, CodingKey { case handle, policy }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let pin = IndexPin(
            handle: try container.decode(UInt32.self, forKey: .handle),
            policy: try container.decodeHex(forKey: .policy))
        guard let pin else {
            throw DecodingError.dataCorruptedError(
                forKey: .handle, in: container, debugDescription: "no index can have this handle or policy")
        }
        self = pin
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(handle, forKey: .handle)
        try container.encode(Hex.encode(policy), forKey: .policy)
    }
}

/// How a vault is bound to its owner's login password. The registry keeps this, so the vault's file cannot choose salt
/// or cost.
public struct BindingPin: Codable, Sendable, Hashable {
    public static let saltCount = 16
    /// The cost of scrypt with N = 2¹⁷, r = 8, p = 1.
    public static let standardCost = 17

    public let index: IndexPin
    /// 16 bytes.
    public let salt: [UInt8]
    /// The logarithm of scrypt's N, 15 to 18; r is 8 and p is 1.
    public let cost: Int

    /// - Returns: nil for a salt or cost that is never used.
    public init?(index: IndexPin, salt: [UInt8], cost: Int = BindingPin.standardCost) {
        guard salt.count == Self.saltCount, (15...18).contains(cost) else { return nil }
        self.index = index
        self.salt = salt
        self.cost = cost
    }

    enum CodingKeys: String, CodingKey { case index, salt, cost }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let pin = BindingPin(
            index: try container.decode(IndexPin.self, forKey: .index),
            salt: try container.decodeHex(forKey: .salt), cost: try container.decode(Int.self, forKey: .cost))
        guard let pin else {
            throw DecodingError.dataCorruptedError(
                forKey: .salt, in: container, debugDescription: "no vault is bound with such a salt or cost")
        }
        self = pin
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(index, forKey: .index)
        try container.encode(Hex.encode(salt), forKey: .salt)
        try container.encode(cost, forKey: .cost)
    }
}
