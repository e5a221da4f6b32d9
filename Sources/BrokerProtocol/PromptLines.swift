import Item

/// Breaks the text of a prompt into lines of at most 72 columns, before anything shows it. A dialog is as wide as its longest line, so a long line could
/// push the question off the screen.
package enum PromptLines {
    /// The most columns of a line.
    package static let width = 72
    /// A line that goes on begins with these blanks. Lines that name items begin with two, so no text can imitate the beginning of a line.
    private static let continuation = "   "

    /// Breaks lines before a blank if there is one, and otherwise within a word. Nothing is left out: without each line break that three blanks
    /// follow, the text is as it was.
    package static func broken(_ text: String) -> String {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { broken(line: Array($0)) }.joined(separator: "\n")
    }

    /// The first line, together with the lines that it goes on in.
    package static func first(of text: String) -> String {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return (lines.prefix(1) + lines.dropFirst().prefix { $0.hasPrefix(continuation) }).joined(separator: "\n")
    }

    /// How many items a text lists. Their lines begin with two blanks.
    package static func items(in text: String) -> Int {
        text.unicodeScalars.split(separator: "\n").count {
            $0.starts(with: "  ".unicodeScalars) && !$0.starts(with: continuation.unicodeScalars)
        }
    }

    /// How many rows of a terminal a text takes.
    package static func rows(of text: String, columns: Int) -> Int {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .reduce(0) { $0 + max(1, (TextColumns.of(String($1)) + columns - 1) / columns) }
    }

    private static func broken(line: [Unicode.Scalar]) -> String {
        var result = ""
        var rest = line[...]
        while true {
            let room = result.isEmpty ? width : width - continuation.count
            let cut = cut(rest, room)
            result.unicodeScalars.append(contentsOf: rest[..<cut])
            rest = rest[cut...]
            if rest.isEmpty { return result }
            result += "\n" + continuation
        }
    }

    /// Where a line ends. A mark stays with its letter, because it takes no column.
    private static func cut(_ text: ArraySlice<Unicode.Scalar>, _ room: Int) -> Int {
        var (end, columns) = (text.startIndex, 0)
        var blank: Int?
        while end < text.endIndex {
            // A line that breaks early would make the prompt long.
            if text[end] == " ", columns >= room / 2 { blank = end }
            columns += TextColumns.of(text[end])
            if columns > room { return blank ?? max(end, text.startIndex + 1) }
            end += 1
        }
        return end
    }
}

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
