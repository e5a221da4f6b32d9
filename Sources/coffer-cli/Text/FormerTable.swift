import Coffer
import FoundationEssentials

/// The former values of a secret, one on each line. The last column is there only if a field other than secret has one.
enum FormerTable {
    private static let header = ["VERSION", "SET", "ACCESS", "REQUIRES", "UNTIL"]

    static func lines(_ versions: [ItemVersion], aligned: Bool, width: Int? = nil) -> [String] {
        var rows = [header] + versions.map { row($0, aligned: aligned) }
        if versions.contains(where: { $0.field != .secret }) {
            rows = zip(rows, ["FIELD"] + versions.map { VisibleText.line($0.field.text) }).map { $0 + [$1] }
        }
        guard aligned else { return rows.map { $0.joined(separator: "\t") } }
        return Columns.aligned(rows, width: width, narrowing: [[3], [2], Array(5..<max(5, rows[0].count)), [1, 4]])
    }

    private static func row(_ former: ItemVersion, aligned: Bool) -> [String] {
        [
            String(former.version), time(former.set, aligned), ItemText.access(former.access),
            ItemText.requires(former.access) ?? "-", time(former.keptUntil, aligned),
        ]
    }

    private static func time(_ time: Date, _ aligned: Bool) -> String {
        aligned ? TimeText(time).relative() : TimeText(time).iso8601
    }
}
