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
