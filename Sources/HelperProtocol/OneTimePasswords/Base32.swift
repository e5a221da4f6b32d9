/// Base32 of RFC 4648, as sites show it: in upper or lower case, in groups, with or without padding.
enum Base32 {
    /// Sites show seeds in groups, and pad them.
    static func isSeparator(_ character: UInt8) -> Bool { " -=".utf8.contains(character) }

    static func decode(_ text: some StringProtocol) throws(OneTimeSeed.Mistake) -> [UInt8] {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var held = 0
        var digits = 0
        var isPadding = false
        for character in text.utf8 {
            let digit: UInt8
            switch character {
            case UInt8(ascii: " "), UInt8(ascii: "-"): continue
            case UInt8(ascii: "="):
                isPadding = true
                continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = character - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = character - UInt8(ascii: "a")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): digit = character - UInt8(ascii: "2") + 26
            default: throw OneTimeSeed.Mistake("it has characters other than the letters A to Z and the digits 2 to 7")
            }
            guard !isPadding else { throw OneTimeSeed.Mistake("it continues after its end (=)") }
            digits += 1
            bits = bits << 5 | UInt32(digit)
            held += 5
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
                bits &= (1 << UInt32(held)) - 1
            }
        }
        // Five bits or more that make no byte mean that a character is missing.
        guard held < 5 else { throw OneTimeSeed.Mistake("its length is wrong, so a character is missing or too many") }
        guard OneTimeLimits.seed.contains(bytes.count) else {
            throw OneTimeSeed.Mistake(digits == 0 ? "it is empty" : "it is too short or too long")
        }
        return bytes
    }

    /// In capitals, without padding.
    static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 5 {
                held -= 5
                text.append(digits[Int(bits >> held)])
                bits &= (1 << held) - 1
            }
        }
        if held > 0 { text.append(digits[Int(bits << (5 - held))]) }
        return String(decoding: text, as: UTF8.self)
    }
}
