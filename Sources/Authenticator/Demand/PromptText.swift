/// Makes text of others fit to be shown: what could move a cursor, turn the direction of writing, hide or imitate is spelt out, and length is bounded.
enum PromptText {
    /// In double quotes, so that a name cannot run on into the sentence around it.
    static func quoted(_ text: String, limit: Int) -> String {
        "\"\(escaped(text, limit: limit, quotes: true))\""
    }

    /// In double quotes, and nothing of it cut off.
    /// - Parameter spelling: whatever is not ASCII is spelt out.
    static func whole(_ text: String, spelling: Bool = false) -> String {
        "\"\(escaped(text, limit: .max, quotes: true, spelling: spelling))\""
    }

    /// In characters.
    static let longestMessage = 2048

    /// A message of a module: may have lines, nothing else beyond what is printed.
    static func message(_ text: String, limit: Int = longestMessage) -> String {
        escaped(text, limit: limit, keeping: ["\n"])
    }

    /// At most `limit` characters (Unicode scalars) of the text, then an ellipsis.
    static func escaped(
        _ text: String, limit: Int, quotes: Bool = false, keeping: Set<Unicode.Scalar> = [], spelling: Bool = false
    ) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else {
                result.append("…")
                break
            }
            count += 1
            let isShown = isPlain(scalar) && (scalar.isASCII || !spelling)
            if keeping.contains(scalar) || (isShown && !(quotes && (scalar == "\"" || scalar == "\\"))) {
                result.append(scalar)
            } else if scalar == "\"" || scalar == "\\" {
                result.append(contentsOf: "\\\(scalar)".unicodeScalars)
            } else {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            }
        }
        return String(result)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == " " { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return false
        default:
            // Letters that are drawn as nothing (the Hangul fillers, variation selectors).
            return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
