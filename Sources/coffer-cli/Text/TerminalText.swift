/// Checks values for a terminal, which obeys control characters. They could retitle or clear it, or make it show something other than the value.
enum TerminalText {
    /// Whether the bytes are text that only appears. Line breaks and tabs are allowed. A carriage return is not, because it makes a line be
    /// overwritten.
    static func isHarmless(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !isActive($0) }
    }

    /// Control characters, line and paragraph separators, and characters that change the writing direction.
    static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }
}
