/// Padded base64 (RFC 4648, section 4), the form of secrets on the wire. Decoding writes directly into secret memory.
extension SecretBytes {
    /// The text for the wire. It is a copy outside secret memory, so make it late and pass it on at once.
    public func base64Encoded() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        return withBytes { bytes in
            let length = (bytes.count + 2) / 3 * 4
            return unsafe String(unsafeUninitializedCapacity: length) { text in
                for group in 0..<length / 4 {
                    let index = group * 3
                    let first = bytes[index]
                    let second = index + 1 < bytes.count ? bytes[index + 1] : 0
                    let third = index + 2 < bytes.count ? bytes[index + 2] : 0
                    unsafe text[group * 4] = alphabet[Int(first >> 2)]
                    unsafe text[group * 4 + 1] = alphabet[Int((first & 0x03) << 4 | second >> 4)]
                    unsafe text[group * 4 + 2] =
                        index + 1 < bytes.count ? alphabet[Int((second & 0x0F) << 2 | third >> 6)] : 0x3D
                    unsafe text[group * 4 + 3] = index + 2 < bytes.count ? alphabet[Int(third & 0x3F)] : 0x3D
                }
                return length
            }
        }
    }

    /// Decodes padded base64.
    ///
    /// - Returns: nil for any other text.
    /// - Throws: `.outOfMemory`.
    public init?(base64Encoded text: String) throws(CryptographyError) {
        let characters = text.utf8
        let count = characters.count
        guard count.isMultiple(of: 4) else { return nil }
        let padding = characters.reversed().prefix(2).prefix { $0 == 0x3D }.count
        let length = count / 4 * 3 - padding
        var valid = true
        let storage = try unsafe SecretStorage(capacity: length) { (buffer) throws(CryptographyError) in
            var group: UInt32 = 0
            var read = 0
            var written = 0
            for character in characters {
                let isPadding = read >= count - padding
                guard let digit = isPadding ? 0 : Self.digit(character) else {
                    valid = false
                    break
                }
                group = group << 6 | UInt32(digit)
                read += 1
                guard read.isMultiple(of: 4) else { continue }
                for shift in [16, 8, 0] as [UInt32] {
                    let byte = UInt8(truncatingIfNeeded: group >> shift)
                    if written < length {
                        unsafe buffer[written] = byte
                        written += 1
                    } else if byte != 0 {
                        // Non-zero bits after the end would be another spelling of the same bytes. That is refused.
                        valid = false
                    }
                }
                group = 0
            }
            return written
        }
        guard valid else { return nil }
        self.init(storage: storage)
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x61...0x7A: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
