import BrokerProtocol
import Coffer

/// Items as a table: aligned for a person; the same columns with tabs, and exact times, for a program.
enum ItemTable {
    private static let header = ["SERVICE", "ACCOUNT", "ACCESS", "REQUIRES", "CHANGED"]

    static func lines(_ items: [Keychain.Item], aligned: Bool) -> [String] {
        let rows = [header] + items.map { row($0, aligned: aligned) }
        return aligned ? align(rows) : rows.map { $0.joined(separator: "\t") }
    }

    private static func row(_ item: Keychain.Item, aligned: Bool) -> [String] {
        [
            VisibleText.line(item.service), VisibleText.line(item.account), ItemText.access(item.access),
            ItemText.requires(item.access) ?? "-",
            aligned ? TimeText(item.modified).relative() : TimeText(item.modified).iso8601,
        ]
    }

    private static func align(_ rows: [[String]]) -> [String] {
        let widths = header.indices.map { column in rows.map { TextWidth.of($0[column]) }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                column == row.count - 1
                    ? text : text + String(repeating: " ", count: widths[column] - TextWidth.of(text) + 2)
            }.joined()
        }
    }
}
