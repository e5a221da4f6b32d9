/// Tells of each character of a text from others, one after the other, whether it may be shown as it is. Every output follows this one rule, so that
/// two names that differ never look alike because of characters that nobody sees.
///
/// These are spelt out: what a terminal obeys, what changes the direction of writing, every blank but the space, every character that shows nothing,
/// and marks that pile up. Joiners and variation selectors are among them, also within emoji: with and without them an emoji looks the same in many
/// places, and a name must not.
package struct VisibleCharacters {
    /// The most marks that one letter may have, in a row. Vietnamese has two, Hebrew with its accents and Tibetan have up to four.
    package static let mostMarks = 4

    private var marks = 0
    /// Whether there is a character that a mark can belong to. A mark alone would change the quote or blank before it.
    private var hasLetter = false

    package init() {}

    package mutating func shows(_ scalar: Unicode.Scalar) -> Bool {
        guard !Self.isHidden(scalar) else {
            (marks, hasLetter) = (0, false)
            return false
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark:
            marks += 1
            return hasLetter && marks <= Self.mostMarks
        default:
            (marks, hasLetter) = (0, scalar != " ")
            return true
        }
    }

    /// Whether every character of a text may be shown as it is.
    package static func show(_ text: String) -> Bool {
        var characters = VisibleCharacters()
        return text.unicodeScalars.allSatisfy { characters.shows($0) }
    }

    /// Whether a terminal obeys a character or writes from right to left after it. What is shown as a value may have every
    /// other one.
    package static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return true
        default: return scalar.properties.isDefaultIgnorableCodePoint || blanks.contains(scalar.value)
        }
    }

    /// Letters and signs without a picture: the empty Braille pattern, the place of an object, an empty note, fillers of Khitan and of hieroglyphs.
    private static let blanks: Set<UInt32> = [0x2800, 0xFFFC, 0x1D159, 0x16FE4, 0x13441, 0x13442]
}
