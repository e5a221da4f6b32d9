import FoundationEssentials

/// JSON for other programs. The keys are sorted, so that two runs can be compared.
enum JSONText {
    static func of(_ value: some Encodable, pretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Replaces characters that a terminal would obey by JSON escapes, which mean the same. They occur only within strings, because all else is
    /// ASCII.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isHidden(scalar) else {
                escaped.append(scalar)
                continue
            }
            // Four digits suffice for each of these characters.
            let digits = String(scalar.value, radix: 16)
            escaped.append(
                contentsOf: "\\u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
                    .unicodeScalars)
        }
        return String(escaped)
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\n" && scalar.value <= 0xFFFF && TerminalText.isActive(scalar)
    }
}
