/// Rows of text in aligned columns, for a person at a terminal.
enum Columns {
    /// A column that gives way is never narrower than this.
    private static let narrowest = 8
    private static let gap = 2

    /// - Parameters:
    ///   - width: the terminal's width, so that each row stays on one line; nil if it is not known, and then nothing is cut.
    ///   - order: the columns that give way, group by group, if the rows are too wide. In a group, the widest gives way first. Text that is cut ends in “…”.
    static func aligned(_ rows: [[String]], width: Int?, narrowing order: [[Int]]) -> [String] {
        guard let first = rows.first else { return [] }
        var widths = first.indices.map { column in rows.map { TextWidth.of($0[column]) }.max() ?? 0 }
        if let width { fit(&widths, width, order) }
        return rows.map { row in
            let line = row.enumerated().map { column, text in
                let shown = TextWidth.shortened(text, to: widths[column])
                return column == row.count - 1
                    ? shown : shown + String(repeating: " ", count: widths[column] - TextWidth.of(shown) + gap)
            }.joined()
            // A terminal can be narrower than all columns at their narrowest.
            return width.map { TextWidth.shortened(line, to: $0) } ?? line
        }
    }

    private static func fit(_ widths: inout [Int], _ width: Int, _ order: [[Int]]) {
        for columns in order {
            while widths.reduce(gap * (widths.count - 1), +) > width,
                let widest = columns.max(by: { widths[$0] < widths[$1] }), widths[widest] > narrowest
            {
                widths[widest] -= 1
            }
        }
    }
}
