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
