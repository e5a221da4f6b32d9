/// Percent-encoding of RFC 3986.
public enum PercentEncoding {
    /// - Returns: nil if two hexadecimal digits do not follow each percent sign, or if the result is not UTF-8.
    public static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "%") else {
                bytes.append(first)
                continue
            }
            guard rest.count >= 2, let high = Character(Unicode.Scalar(rest.removeFirst())).hexDigitValue,
                let low = Character(Unicode.Scalar(rest.removeFirst())).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return String(validating: bytes, as: UTF8.self)
    }

    public static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~".utf8.contains(byte)
            if isPlain { return String(Unicode.Scalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
