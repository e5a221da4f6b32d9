/// A file as text between two marks (strict PEM of RFC 7468).
enum AgeArmor {
    private static let begin = "-----BEGIN AGE ENCRYPTED FILE-----"
    private static let end = "-----END AGE ENCRYPTED FILE-----"

    static func isArmored(_ file: [UInt8]) -> Bool {
        file.drop(while: isSpace).starts(with: Array("-----".utf8))
    }

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let base64 = Array(AgeBase64.encode(bytes).utf8)
        let padded = base64 + [UInt8](repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
        var text = Array("\(begin)\n".utf8)
        for start in stride(from: 0, to: padded.count, by: AgeLimits.column) {
            text += padded[start..<min(start + AgeLimits.column, padded.count)]
            text.append(0x0A)
        }
        return text + Array("\(end)\n".utf8)
    }

    static func decode(_ file: [UInt8]) throws(AgeError) -> [UInt8] {
        // Only white space may come before the first mark, and follow the last one.
        var text = file.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text = text.dropLast() }
        // Line by line: a file of line feeds alone would take seventy times its size as a list of them.
        var rest: ArraySlice<UInt8>? = text
        func next() -> ArraySlice<UInt8>? {
            guard let text = rest else { return nil }
            let end = text.firstIndex(of: 0x0A)
            rest = end.map { text[($0 + 1)...] }
            let line = text[..<(end ?? text.endIndex)]
            return line.last == 0x0D ? line.dropLast() : line
        }
        guard next()?.elementsEqual(begin.utf8) == true else { throw malformed }
        var base64: [UInt8] = []
        var isShort = false
        while let line = next() {
            guard rest != nil else {
                guard line.elementsEqual(end.utf8) else { throw malformed }
                return try decoded(base64)
            }
            // The last line alone may be shorter, and none is empty.
            guard !isShort, (1...AgeLimits.column).contains(line.count) else { throw malformed }
            isShort = line.count < AgeLimits.column
            base64 += line
        }
        throw malformed
    }

    private static var malformed: AgeError { AgeError(.malformedArmor, "its armor does not follow the age format") }

    private static func decoded(_ base64: [UInt8]) throws(AgeError) -> [UInt8] {
        guard base64.count % 4 == 0 else { throw malformed }
        var unpadded = base64[...]
        while unpadded.last == UInt8(ascii: "="), base64.count - unpadded.count < 2 { unpadded = unpadded.dropLast() }
        guard let bytes = AgeBase64.decode(unpadded) else { throw malformed }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
