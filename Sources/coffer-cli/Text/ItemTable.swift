import BrokerProtocol
import Coffer

/// Items as a table. For a person the columns are aligned; for a program they are separated by tabs, with exact times.
enum ItemTable {
    private static let header = ["SERVICE", "ACCOUNT", "ACCESS", "REQUIRES", "CHANGED"]
    /// A column for a name is never narrower than this.
    private static let narrowest = 8

    /// - Parameter width: the terminal's width, so that each item stays on one line. Text that is too long is cut and ends in “…”.
    static func lines(_ items: [Keychain.Item], aligned: Bool, width: Int? = nil) -> [String] {
        let rows = [header] + items.map { row($0, aligned: aligned) }
        return aligned ? align(rows, width) : rows.map { $0.joined(separator: "\t") }
    }

    private static func row(_ item: Keychain.Item, aligned: Bool) -> [String] {
        [
            VisibleText.line(item.service), VisibleText.line(item.account), ItemText.access(item.access),
            ItemText.requires(item.access) ?? "-",
            aligned ? TimeText(item.modified).relative() : TimeText(item.modified).iso8601,
        ]
    }

    private static func align(_ rows: [[String]], _ width: Int?) -> [String] {
        var widths = header.indices.map { column in rows.map { TextWidth.of($0[column]) }.max() ?? 0 }
        if let width { fit(&widths, width) }
        return rows.map { row in
            row.enumerated().map { column, text in
                let shown = TextWidth.shortened(text, to: widths[column])
                return column == row.count - 1
                    ? shown : shown + String(repeating: " ", count: widths[column] - TextWidth.of(shown) + 2)
            }.joined()
        }
    }

    /// Narrows the widest columns first: the names, and then the requirements.
    private static func fit(_ widths: inout [Int], _ width: Int) {
        for columns in [[0, 1], [3]] {
            while widths.reduce(2 * (widths.count - 1), +) > width,
                let widest = columns.max(by: { widths[$0] < widths[$1] }), widths[widest] > narrowest
            {
                widths[widest] -= 1
            }
        }
    }
}
