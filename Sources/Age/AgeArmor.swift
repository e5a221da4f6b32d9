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
        let malformed = AgeError(.malformedArmor, "its armor does not follow the age format")
        var lines = file.drop(while: isSpace).split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        // Only white space may follow the last mark.
        while let last = lines.last, last.allSatisfy(isSpace) { lines.removeLast() }
        if let last = lines.indices.last {
            var line = lines[last]
            while let byte = line.last, isSpace(byte) { line = line.dropLast() }
            lines[last] = line
        }
        guard lines.count >= 2, lines[0].elementsEqual(begin.utf8), lines[lines.count - 1].elementsEqual(end.utf8)
        else { throw malformed }
        let body = lines[1..<lines.count - 1]
        var base64: [UInt8] = []
        for (index, line) in zip(body.indices, body) {
            let isLast = index == body.endIndex - 1
            guard isLast ? (1...AgeLimits.column).contains(line.count) : line.count == AgeLimits.column else {
                throw malformed
            }
            base64 += line
        }
        guard base64.count % 4 == 0 else { throw malformed }
        var unpadded = base64[...]
        while unpadded.last == UInt8(ascii: "="), base64.count - unpadded.count < 2 { unpadded = unpadded.dropLast() }
        guard let bytes = AgeBase64.decode(unpadded) else { throw malformed }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
