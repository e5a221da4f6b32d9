/// The number of terminal columns that characters take, rather too many than too few.
package enum TextColumns {
    package static func of(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

    /// Letters of East Asian scripts and emoji take two columns (a coarse form of Unicode Standard Annex 11), and marks none.
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        switch scalar.value {
        // One sign that is as wide as a word: long dashes, Arabic ligatures, cuneiform.
        case 0x2E3A, 0x2E3B, 0xFDF0...0xFDFF, 0x12000...0x1254F: return 12
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16000...0x18DFF,
            0x1F000...0x1FFFF, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }
}
