/// Platform configuration registers of the SHA-256 bank. TPM 2.0 Library, Part 2, "TPML_PCR_SELECTION".
public struct PCRSelection: Sendable, Hashable, CustomStringConvertible {
    /// 0 to 23, at least one.
    public let registers: Set<Int>

    /// - Throws: `.damaged` for an empty set, and for a register that no PC has.
    public init(_ registers: Set<Int>) throws(TPMError) {
        guard !registers.isEmpty, registers.allSatisfy((0..<24).contains) else {
            throw TPMError(.damaged, "measured registers are 0 to 23, and at least one of them")
        }
        self.registers = registers
    }

    public var description: String { registers.sorted().map(String.init).joined(separator: "+") }

    /// One bank, with three bytes of registers.
    var marshalled: [UInt8] {
        var bits: [UInt8] = [0, 0, 0]
        for register in registers { bits[register / 8] |= 1 << UInt8(register % 8) }
        var bytes: [UInt8] = []
        bytes.append(UInt32(1))
        bytes.append(PublicArea.nameAlgorithm)
        bytes.append(UInt8(bits.count))
        return bytes + bits
    }
}

/// What `TPM2_PolicyPCR` compares: the registers, and one digest of all their values.
public struct PCRState: Sendable, Hashable {
    public let selection: PCRSelection
    /// SHA-256 over the values in the order of their registers, 32 bytes.
    public let digest: [UInt8]

    /// - Throws: `.damaged` for a digest of another size.
    public init(selection: PCRSelection, digest: [UInt8]) throws(TPMError) {
        guard digest.count == 32 else { throw TPMError(.damaged, "a digest of measurements is not 32 bytes") }
        self.selection = selection
        self.digest = digest
    }

    /// Takes values that were read or predicted, 32 bytes each.
    ///
    /// - Throws: `.damaged` if a register of the selection is missing.
    public init(selection: PCRSelection, values: [Int: [UInt8]]) throws(TPMError) {
        var all: [UInt8] = []
        for register in selection.registers.sorted() {
            guard let value = values[register], value.count == 32 else {
                throw TPMError(.damaged, "the value of measured register \(register) is missing")
            }
            all += value
        }
        try self.init(selection: selection, digest: try Digest.sha256(all))
    }
}
