/// How long a sealed value or record is made, so that its length tells little of what it holds.
package enum PaddedLength {
    /// 64 bytes, or the Padmé length, which is at most 12 % more (Nikitin and others, "Reducing Metadata Leakage from
    /// Encrypted Files", 2019; docs/vault-format.md, "Padmé").
    ///
    /// - Parameter count: of the plain text in bytes, without the four bytes of its length.
    package static func of(_ count: Int) -> Int {
        let length = count + 4
        guard length > 64 else { return 64 }
        let exponent = Int.bitWidth - 1 - length.leadingZeroBitCount
        let exponentBits = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - exponentBits)) - 1
        return (length + mask) & ~mask
    }
}
