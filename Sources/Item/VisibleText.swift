/// Makes text from others safe to show, so that it cannot move the cursor, change colours or reorder the line. The
/// broker's errors, the prompts and the programs' output all show names in this way.
package enum VisibleText {
    /// How characters are written that are not shown as they are.
    package enum Spelling: Sendable {
        /// For a line at a terminal: `\n`, `\t` and `\r` by their letters, all else by number.
        case line
        /// For a prompt, where a person decides: every character by number.
        case prompt
        /// By number, and so is every character that is not ASCII: two names that look alike are told apart.
        case ascii
        /// As JSON spells UTF-16. It means the same to a reader of JSON.
        case json
    }

    /// One line. Line breaks and tabs are shown as escapes, and a backslash is doubled, so that two texts never look
    /// alike.
    package static func line(_ text: String) -> String { escaped(text, .line, marking: ["\\"]) }

    /// A sentence on one line, which may quote a name.
    package static func sentence(_ text: String) -> String { escaped(text, .line) }

    /// Text that keeps its line breaks, such as a message.
    package static func lines(_ text: String) -> String { escaped(text, .line, keeping: ["\n"]) }

    /// An item's name as sentences show it: github/me, or the service alone. A kind other than generic follows:
    /// github/me (key). A part that could be misread is quoted, so that no two names look alike: "a/b"/c and a/"b/c".
    package static func name(service: String, account: String?, kind: ItemKind? = nil) -> String {
        let name = account.map { "\(quoted(service))/\(quoted($0))" } ?? quoted(service)
        guard let kind, kind != .genericPassword else { return name }
        return "\(name) (\(kind.rawValue))"
    }

    /// One part of a name, quoted if needed.
    package static func quoted(_ name: String) -> String { quoted(name, likePath: false) }

    /// - Parameter likePath: a slash needs no quotes.
    package static func quoted(_ name: String, likePath: Bool) -> String {
        let shown = line(name)
        // By scalars: a quote or a slash with an accent behind it is one character, and no quote to it.
        let scalars = name.unicodeScalars
        let needsQuotes =
            scalars.isEmpty || !shown.unicodeScalars.elementsEqual(scalars)
            || scalars.contains { $0.properties.isWhitespace || signs.contains($0) || ($0 == "/" && !likePath) }
            || scalars.last == "." || scalars.last == ":"
        guard needsQuotes else { return shown }
        var inner = String.UnicodeScalarView()
        for scalar in shown.unicodeScalars {
            if scalar == "\"" { inner.append("\\") }
            inner.append(scalar)
        }
        return "\"\(String(inner))\""
    }

    private static let signs = Set("\"'`“”‘’„«»;,()<>…".unicodeScalars)

    /// The one escaper. What is not to be seen is spelt out.
    ///
    /// - Parameters:
    ///   - kept: shown as they are, even if they are not to be seen.
    ///   - marked: shown behind a backslash.
    ///   - limit: the characters of the text (Unicode scalars) that are shown before an ellipsis.
    package static func escaped(
        _ text: String, _ spelling: Spelling, keeping kept: Set<Unicode.Scalar> = [],
        marking marked: Set<Unicode.Scalar> = [], limit: Int = .max
    ) -> String {
        var shown = String.UnicodeScalarView()
        var characters = VisibleCharacters()
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else {
                shown.append("…")
                break
            }
            let isShown = characters.shows(scalar) && (scalar.isASCII || spelling != .ascii)
            if kept.contains(scalar) {
                shown.append(scalar)
            } else if isShown {
                if marked.contains(scalar) { shown.append("\\") }
                shown.append(scalar)
            } else {
                shown.append(contentsOf: spelling.spelt(scalar).unicodeScalars)
            }
        }
        return String(shown)
    }
}

extension VisibleText.Spelling {
    fileprivate func spelt(_ scalar: Unicode.Scalar) -> String {
        switch (self, scalar) {
        case (.line, "\n"): "\\n"
        case (.line, "\t"): "\\t"
        case (.line, "\r"): "\\r"
        case (.json, _):
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
}
