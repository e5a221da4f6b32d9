/// Bech32 of BIP 173, without its limit of length, as age writes keys.
enum Bech32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let checksumCount = 6

    /// - Returns: the part before the last 1 in lower case, and the bytes; nil if the text is not Bech32.
    static func decode(_ text: String) -> (prefix: String, bytes: [UInt8])? {
        let given = Array(text.utf8)
        let isUpper = given.contains { (0x41...0x5A).contains($0) }
        let isLower = given.contains { (0x61...0x7A).contains($0) }
        guard !(isUpper && isLower), given.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let characters = given.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        guard let separator = characters.lastIndex(of: UInt8(ascii: "1")), separator > 0,
            characters.count - separator - 1 >= checksumCount
        else { return nil }
        let prefix = characters[..<separator]
        var values: [UInt8] = []
        for character in characters[(separator + 1)...] {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            values.append(UInt8(value))
        }
        guard polynomial(expanded(prefix) + values) == 1 else { return nil }
        guard let bytes = regrouped(values.dropLast(checksumCount)) else { return nil }
        return (String(decoding: prefix, as: UTF8.self), bytes)
    }

    /// - Parameter prefix: in lower case.
    static func encode(_ prefix: String, _ bytes: [UInt8]) -> String {
        var values: [UInt8] = []
        var (rest, bits) = (UInt32(0), 0)
        for byte in bytes {
            rest = (rest << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                values.append(UInt8(rest >> UInt32(bits) & 31))
            }
        }
        if bits > 0 { values.append(UInt8(rest << UInt32(5 - bits) & 31)) }
        let checksum = polynomial(expanded(prefix.utf8) + values + [UInt8](repeating: 0, count: checksumCount)) ^ 1
        let last = (0..<checksumCount).map { UInt8(checksum >> UInt32(5 * (5 - $0)) & 31) }
        return prefix + "1" + String(decoding: (values + last).map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// Groups of five bits into bytes.
    /// - Returns: nil if the last group holds more than padding of zeros.
    private static func regrouped(_ values: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (rest, bits) = (UInt32(0), 0)
        for value in values {
            rest = (rest << 5 | UInt32(value)) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(rest >> UInt32(bits) & 0xFF))
            }
        }
        guard bits < 5, rest & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return bytes
    }

    private static func expanded(_ prefix: some Sequence<UInt8>) -> [UInt8] {
        prefix.map { $0 >> 5 } + [0] + prefix.map { $0 & 31 }
    }

    private static func polynomial(_ values: [UInt8]) -> UInt32 {
        let generator: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]
        return values.reduce(1) { checksum, value in
            let top = checksum >> 25
            var next = (checksum & 0x1FF_FFFF) << 5 ^ UInt32(value)
            for bit in 0..<5 where top >> UInt32(bit) & 1 == 1 { next ^= generator[bit] }
            return next
        }
    }
}
