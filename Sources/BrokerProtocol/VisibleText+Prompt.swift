import Item

extension VisibleText {
    /// Text for a prompt: it keeps its line breaks, and no line is wider than a dialog may be.
    package static func prompt(_ text: String) -> String { PromptLines.broken(lines(text)) }

    /// A program's path, quoted if needed. One that takes more than two lines of a prompt loses its middle. A “…” that
    /// was in the path is in quotes.
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
}
