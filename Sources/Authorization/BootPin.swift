/// How a vault is tied to the measured boot (docs/boot.md). Root's word: which registers count is not the vault file's to choose.
public struct BootPin: Codable, Sendable, Hashable {
    /// The Secure Boot policy, and the boot loader and kernel that were started (docs/boot.md, "Which registers").
    public static let standardRegisters = [4, 7]

    /// Holds the approved boots; the approving key alone writes it.
    public let index: IndexPin
    /// Of the SHA-256 bank, in order, each once; at least one.
    public let registers: [Int]

    /// - Returns: nil for registers that no PC has, for none, and for one that is named twice.
    public init?(index: IndexPin, registers: [Int]) {
        guard Self.areSelectable(registers) else { return nil }
        self.index = index
        self.registers = registers.sorted()
    }

    /// Whether a boot can be told by these: 0 to 23 without 16 and 23, which any program may reset.
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
