import JSON

/// The TPM's storage key as it was when the vault was made. If another key is in its place, the TPM was replaced or
/// cleared.
public struct StorageKeyPin: JSONValue, Equatable {
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

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var context: Hexadecimal?
        var handle: UInt32?
        var name: Hexadecimal?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["context", "handle", "name"]) {
            switch member {
            case 0: context = try reader.read()
            case 1: handle = try reader.read()
            default: name = try reader.read()
            }
        }
        self.handle = try members.required(handle, "handle")
        self.name = try members.required(name, "name").bytes
        self.context = try members.required(context, "context").bytes
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("context", Hexadecimal(context))
        writer.member("handle", handle)
        writer.member("name", Hexadecimal(name))
        writer.endObject()
    }
}

/// Bytes as records have them: in hexadecimal.
struct Hexadecimal: JSONValue {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        guard let bytes = Hex.decode(try reader.string()) else {
            throw .mismatch(at: start, "expected hexadecimal digits")
        }
        self.bytes = bytes
    }

    func write(to writer: inout JSONWriter) { Hex.encode(bytes).write(to: &writer) }
}

/// The TPM counter that a vault's epoch is compared with (docs/vault-format.md, "Epoch and counter").
public struct CounterPin: JSONValue, Hashable {
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

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var base: UInt64?
        var context: Hexadecimal?
        var handle: UInt32?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["base", "context", "handle"]) {
            switch member {
            case 0: base = try reader.read()
            case 1: context = try reader.read()
            default: handle = try reader.read()
            }
        }
        let pin = CounterPin(
            handle: try members.required(handle, "handle"), base: try members.required(base, "base"),
            context: try members.required(context, "context").bytes)
        guard let pin else { throw .mismatch(at: start, "no counter can have this handle or context") }
        self = pin
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("base", base)
        writer.member("context", Hexadecimal(context))
        writer.member("handle", handle)
        writer.endObject()
    }
}

/// How a vault is tied to the measured boot (docs/boot.md). The registry keeps this, so the vault's file cannot choose
/// which registers count.
public struct BootPin: JSONValue, Hashable {
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

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var index: IndexPin?
        var registers: [Int]?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["index", "registers"]) {
            switch member {
            case 0: index = try reader.read()
            default: registers = try reader.read()
            }
        }
        let pin = BootPin(
            index: try members.required(index, "index"), registers: try members.required(registers, "registers"))
        guard let pin else { throw .mismatch(at: start, "no vault is tied to such registers") }
        self = pin
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("index", index)
        writer.member("registers", registers)
        writer.endObject()
    }
}
