import BrokerProtocol
import Coffer

/// The former values of a secret, one on each line.
enum FormerTable {
    private static let header = ["VERSION", "SET", "ACCESS", "REQUIRES", "UNTIL"]

    static func lines(_ versions: [Keychain.FormerVersion], aligned: Bool) -> [String] {
        let rows = [header] + versions.map { row($0, aligned: aligned) }
        guard aligned else { return rows.map { $0.joined(separator: "\t") } }
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).dropLast().map { $0 + String(repeating: " ", count: $1 - $0.count + 2) }.joined()
                + row[row.count - 1]
        }
    }

    private static func row(_ former: Keychain.FormerVersion, aligned: Bool) -> [String] {
        [
            String(former.version), time(former.set, aligned), ItemText.access(former.access),
            ItemText.requires(former.access) ?? "-", time(former.until, aligned),
        ]
    }

    private static func time(_ time: Int64, _ aligned: Bool) -> String {
        aligned ? TimeText(time).relative() : TimeText(time).iso8601
    }
}
