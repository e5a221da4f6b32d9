import Item

/// Makes foreign text safe to show. It spells out characters that move the cursor, change the writing direction, hide or imitate text, and it limits
/// the length.
enum EscapedText {
    /// In double quotes, so that a name cannot run on into the sentence around it.
    static func quoted(_ text: String, limit: Int) -> String {
        "\"\(VisibleText.escaped(text, .prompt, marking: quotes, limit: limit))\""
    }

    /// In double quotes, and never cut off.
    /// - Parameter spelling: spell out every character that is not ASCII.
    static func whole(_ text: String, spelling: Bool = false) -> String {
        "\"\(VisibleText.escaped(text, spelling ? .ascii : .prompt, marking: quotes))\""
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
        VisibleText.escaped(text, .prompt, keeping: ["\n"], limit: limit)
    }

    /// At most `limit` characters (Unicode scalars) of the text, then an ellipsis.
    static func escaped(_ text: String, limit: Int) -> String { VisibleText.escaped(text, .prompt, limit: limit) }

    /// What would end a quotation.
    private static let quotes: Set<Unicode.Scalar> = ["\"", "\\"]
}
