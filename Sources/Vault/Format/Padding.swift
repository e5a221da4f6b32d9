import Authorization
import Cryptography

/// `u32 length ‖ content ‖ zeros`
enum Padding {
    static func add(_ content: SecretBytes, upTo count: Int) throws(CryptographyError) -> SecretBytes {
        try .concatenating([
            SecretBytes(copying: BigEndian.bytes(UInt32(content.count))), content,
            .zeros(count: count - content.count - 4),
        ])
    }

    /// Removes the padding if it is exactly what `sizeClass` demands.
    static func remove(
        _ plain: SecretBytes, _ what: String, sizeClass: (Int) -> Int
    ) throws(VaultError) -> SecretBytes {
        let length = plain.withBytes { bytes in
            bytes.count < 4 ? nil : (0..<4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
        }
        guard let length, length <= plain.count - 4, sizeClass(length) == plain.count else {
            throw .damaged("\(what) has a wrong length")
        }
        do throws(CryptographyError) {
            let padding = try plain.slice(4 + length..<plain.count)
            guard padding == (try .zeros(count: padding.count)) else {
                throw CryptographyError(code: .invalidLength, reason: "padding is not zero")
            }
            return try plain.slice(4..<4 + length)
        } catch {
            if error.code == .invalidLength { throw .damaged("\(what) is padded wrongly", cause: error) }
            throw VaultError(error)
        }
    }
}
