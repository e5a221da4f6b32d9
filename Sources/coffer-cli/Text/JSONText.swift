import FoundationEssentials

/// JSON for other programs: keys sorted, so that two runs compare.
enum JSONText {
    static func of(_ value: some Encodable, pretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// What a terminal would obey stands as an escape, which means the same. It is found within texts only: all else is ASCII.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isHidden(scalar) else {
                escaped.append(scalar)
                continue
            }
            // None of them is beyond four digits.
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
