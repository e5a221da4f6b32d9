/// A value that is shown on a terminal, which obeys what it is given: it may be retitled, cleared, or made to show something else than the value.
enum TerminalText {
    /// Whether the bytes are text that does nothing but appear. Lines and tabs are; a carriage return is not, because it has a line overwritten.
    static func isHarmless(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !isActive($0) }
    }

    /// Control characters, line and paragraph separators, and what changes the direction of writing.
    static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }
}
