import Cryptography

/// Bytes from hexadecimal text. Blanks and line ends only help the reader.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func secret(_ bytes: [UInt8]) throws -> SecretBytes { try SecretBytes(copying: bytes) }

func revealed(_ secret: SecretBytes) -> [UInt8] {
    secret.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
}
