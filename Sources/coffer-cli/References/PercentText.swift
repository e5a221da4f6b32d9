/// Percent-encoding (RFC 3986, 2.1).
enum PercentText {
    /// Why a text is not what a reference can have there.
    enum Mistake: Error, Equatable {
        /// A percent sign without two hexadecimal digits.
        case digits
        /// A character that has to be written with a percent sign.
        case character(UInt8)
        case notUTF8
        case zero
    }

    /// - Parameter isPlain: whether a byte of ASCII may stand for itself.
    static func decode(
        _ text: Substring.UTF8View, where isPlain: (UInt8) -> Bool
    ) throws(Mistake) -> String {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    throw .digits
                }
                bytes.append(high << 4 | low)
            } else {
                guard byte >= 0x80 || isPlain(byte) else { throw .character(byte) }
                bytes.append(byte)
            }
        }
        // No program could be given such a name as an argument.
        guard !bytes.contains(0) else { throw .zero }
        // Strict: an overlong form of a slash is no slash, and no text.
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return decoded
    }

    /// Encodes all but letters, digits and `-._~`.
    static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
