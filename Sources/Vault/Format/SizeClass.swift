/// How long plain text is made before it is sealed, so that lengths tell little.
enum SizeClass {
    /// Of a value of so many bytes with its length in front: 64 bytes, or the Padmé length (Nikitin and others, "Reducing Metadata Leakage from Encrypted
    /// Files", 2019): at most 12 % more.
    static func value(_ count: Int) -> Int {
        let length = count + 4
        guard length > 64 else { return 64 }
        let exponent = Int.bitWidth - 1 - length.leadingZeroBitCount
        let exponentBits = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - exponentBits)) - 1
        return (length + mask) & ~mask
    }

    /// Of metadata: the next multiple of 256.
    static func metadata(_ count: Int) -> Int { (count + 4 + 255) / 256 * 256 }
}
