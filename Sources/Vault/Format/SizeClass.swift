/// The padded lengths of plain text. Padding hides most of the real length.
enum SizeClass {
    /// The padded length of a value of `count` bytes with its length prefix. It is 64 bytes or the Padmé length, which
    /// is at most 12 % more (Nikitin and others, "Reducing Metadata Leakage from Encrypted Files", 2019).
    static func value(_ count: Int) -> Int {
        let length = count + 4
        guard length > 64 else { return 64 }
        let exponent = Int.bitWidth - 1 - length.leadingZeroBitCount
        let exponentBits = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - exponentBits)) - 1
        return (length + mask) & ~mask
    }

    /// The padded length of metadata: the next multiple of 256.
    static func metadata(_ count: Int) -> Int { (count + 4 + 255) / 256 * 256 }
}
