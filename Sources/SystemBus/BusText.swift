/// What D-Bus carries of a text. Its library refuses the noncharacters of Unicode, and takes a zero byte for the end.
public enum BusText {
    /// Whether a text arrives as it is.
    public static func carries(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isCarried) }

    /// The text, with U+FFFD for each character that D-Bus does not carry.
    public static func shown(_ text: String) -> String {
        guard !carries(text) else { return text }
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { kept.append(isCarried(scalar) ? scalar : replacement) }
        return String(kept)
    }

    private static let replacement: Unicode.Scalar = "\u{FFFD}"

    /// Noncharacters are the last two of each plane, and 32 more (The Unicode Standard, section 23.7).
    private static func isCarried(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        return value != 0 && value & 0xFFFE != 0xFFFE && !(0xFDD0...0xFDEF).contains(value)
    }
}
