import Platform

/// Makes text from others safe to show, so that it cannot move the cursor, change colours or reorder the line. The broker's errors and the
/// programs' own show names in the same way.
package enum VisibleText {
    /// One line. Line breaks and tabs are shown as escapes, and a backslash is doubled, so that two texts never look alike.
    package static func line(_ text: String) -> String {
        escape(text, backslash: true, keep: [])
    }

    /// A sentence on one line, which may quote a name.
    package static func sentence(_ text: String) -> String {
        escape(text, backslash: false, keep: [])
    }

    /// Text that keeps its line breaks, such as a message.
    package static func lines(_ text: String) -> String {
        escape(text, backslash: false, keep: ["\n"])
    }

    /// Text for a prompt: it keeps its line breaks, and no line is wider than a dialog may be.
    package static func prompt(_ text: String) -> String { PromptLines.broken(lines(text)) }

    /// A program's path, quoted if needed. One that takes more than two lines of a prompt loses its middle. A “…” that was in the path is in quotes.
    package static func path(_ path: String) -> String {
        shortened(path, to: 2 * PromptLines.width) { quoted($0, likePath: true) }
    }

    /// A text without its middle, if it takes more columns.
    /// - Parameter shown: makes each end of it safe to show.
    package static func shortened(_ text: String, to columns: Int, _ shown: (String) -> String) -> String {
        let whole = shown(text)
        guard TextColumns.of(whole) > columns else { return whole }
        let scalars = Array(text.unicodeScalars)
        func end(_ part: (Int) -> ArraySlice<Unicode.Scalar>) -> String {
            var kept = ""
            for count in 1...scalars.count {
                let longer = shown(String(String.UnicodeScalarView(part(count))))
                // The “…” takes a column.
                guard TextColumns.of(longer) < columns / 2 else { break }
                kept = longer
            }
            return kept
        }
        return end { scalars.prefix($0) } + "…" + end { scalars.suffix($0) }
    }

    /// An item's name as sentences show it: github/me, or the service alone. A kind other than generic follows: github/me (key). A part that could be misread is quoted, so that no two names look alike:
    /// "a/b"/c and a/"b/c".
    package static func name(
        service: String, account: String?, kind: Keychain.ItemKind? = nil
    ) -> String {
        let name = account.map { "\(quoted(service))/\(quoted($0))" } ?? quoted(service)
        guard let kind, kind != .generic else { return name }
        return "\(name) (\(kind.rawValue))"
    }

    /// One part of a name, quoted if needed.
    package static func quoted(_ name: String) -> String { quoted(name, likePath: false) }

    /// - Parameter likePath: a slash needs no quotes.
    private static func quoted(_ name: String, likePath: Bool) -> String {
        let shown = line(name)
        let needsQuotes =
            name.isEmpty || shown != name
            || name.contains { $0.isWhitespace || "\"'`“”‘’„«»;,()<>…".contains($0) || ($0 == "/" && !likePath) }
            || name.hasSuffix(".") || name.hasSuffix(":")
        return needsQuotes ? "\"\(shown.replacing("\"", with: "\\\""))\"" : shown
    }

    private static func escape(_ text: String, backslash: Bool, keep: [Unicode.Scalar]) -> String {
        var shown = String.UnicodeScalarView()
        var characters = VisibleCharacters()
        for scalar in text.unicodeScalars {
            let isShown = characters.shows(scalar)
            switch scalar {
            case _ where keep.contains(scalar): shown.append(scalar)
            case "\n": shown.append(contentsOf: "\\n".unicodeScalars)
            case "\t": shown.append(contentsOf: "\\t".unicodeScalars)
            case "\r": shown.append(contentsOf: "\\r".unicodeScalars)
            case "\\" where backslash: shown.append(contentsOf: "\\\\".unicodeScalars)
            case _ where !isShown:
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }
}
