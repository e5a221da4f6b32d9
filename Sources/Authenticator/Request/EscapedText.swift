import Platform

/// Makes foreign text safe to show. It spells out characters that move the cursor, change the writing direction, hide or imitate text, and it limits
/// the length.
enum EscapedText {
    /// In double quotes, so that a name cannot run on into the sentence around it.
    static func quoted(_ text: String, limit: Int) -> String {
        "\"\(escaped(text, limit: limit, quotes: true))\""
    }

    /// In double quotes, and never cut off.
    /// - Parameter spelling: spell out every character that is not ASCII.
    static func whole(_ text: String, spelling: Bool = false) -> String {
        "\"\(escaped(text, limit: .max, quotes: true, spelling: spelling))\""
    }

    /// An item's service and account. A display that writes from right to left could change their places, so words that it writes from left to right
    /// stand before each.
    static func name(_ service: String, _ account: String, spelling: Bool = false) -> String {
        let isMarked = !spelling && (hasRightToLeft(service) || hasRightToLeft(account))
        return (isMarked ? "service " : "") + whole(service, spelling: spelling) + " / " + (isMarked ? "account " : "")
            + whole(account, spelling: spelling)
    }

    /// Whether it has a letter of class R or AL (Unicode Standard Annex 9), by the blocks that are reserved for them.
    private static func hasRightToLeft(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
            default: false
            }
        }
    }

    /// A PAM module's message. It may have line breaks, and otherwise printable characters only.
    static func message(_ text: String, limit: Int = PromptLimits.message) -> String {
        escaped(text, limit: limit, keeping: ["\n"])
    }

    /// At most `limit` characters (Unicode scalars) of the text, then an ellipsis.
    static func escaped(
        _ text: String, limit: Int, quotes: Bool = false, keeping: Set<Unicode.Scalar> = [], spelling: Bool = false
    ) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        var characters = VisibleCharacters()
        for scalar in text.unicodeScalars {
            guard count < limit else {
                result.append("…")
                break
            }
            count += 1
            let isShown = characters.shows(scalar) && (scalar.isASCII || !spelling)
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
}
