import JSON

/// An NV index that a policy relies on. It counts the tries of a bound vault's password, holds the approved boots, or
/// stands for a generation of keys. The pin has what is needed to compute the index's Name (docs/vault-format.md, "A
/// bound vault", "A vault that is tied to the boot").
public struct IndexPin: JSONValue, Hashable {
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

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var handle: UInt32?
        var policy: Hexadecimal?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["handle", "policy"]) {
            switch member {
            case 0: handle = try reader.read()
            default: policy = try reader.read()
            }
        }
        let pin = IndexPin(
            handle: try members.required(handle, "handle"), policy: try members.required(policy, "policy").bytes)
        guard let pin else { throw .mismatch(at: start, "no index can have this handle or policy") }
        self = pin
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("handle", handle)
        writer.member("policy", Hexadecimal(policy))
        writer.endObject()
    }
}

/// How a vault is bound to its owner's login password. The registry keeps this, so the vault's file cannot choose salt
/// or cost.
public struct BindingPin: JSONValue, Hashable {
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

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var cost: Int?
        var index: IndexPin?
        var salt: Hexadecimal?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["cost", "index", "salt"]) {
            switch member {
            case 0: cost = try reader.read()
            case 1: index = try reader.read()
            default: salt = try reader.read()
            }
        }
        let pin = BindingPin(
            index: try members.required(index, "index"), salt: try members.required(salt, "salt").bytes,
            cost: try members.required(cost, "cost"))
        guard let pin else { throw .mismatch(at: start, "no vault is bound with such a salt or cost") }
        self = pin
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("cost", cost)
        writer.member("index", index)
        writer.member("salt", Hexadecimal(salt))
        writer.endObject()
    }
}
