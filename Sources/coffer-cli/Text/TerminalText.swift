import Coffer

/// Checks values for a terminal, which obeys control characters. They could retitle or clear it, or make it show something other than the value.
enum TerminalText {
    /// Whether the bytes are text that only appears. Line breaks and tabs are allowed. A carriage return is not, because it makes a line be
    /// overwritten.
    static func isHarmless(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !VisibleCharacters.steers($0) }
    }
}

/// The number of terminal cells that a text takes.
enum TextWidth {
    static func of(_ text: String) -> Int { text.reduce(0) { $0 + cells($1) } }

    /// As much of the beginning as fits, ending in “…” if something was cut off.
    static func shortened(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        var kept = ""
        var taken = 1
        for character in text {
            taken += cells(character)
            guard taken <= width else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// Letters of East Asian scripts and most emoji take two cells (a coarse form of Unicode Standard Annex 11).
    private static func cells(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        // An emoji that has its own picture, or is asked to have one by what follows it.
        if scalar.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
