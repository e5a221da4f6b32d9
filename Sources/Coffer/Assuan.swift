/// Escapes in Assuan's lines. An escape is a percent sign and two hexadecimal digits.
enum Assuan {
    static func escape(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": line += "%25"
            case "\n": line += "%0A"
            case "\r": line += "%0D"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// A percent sign that starts no escape stands for itself.
    static func unescape(_ line: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = line[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
