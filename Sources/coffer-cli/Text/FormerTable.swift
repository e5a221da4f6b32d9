import BrokerProtocol
import Coffer

/// The former values of a secret, one on each line.
enum FormerTable {
    private static let header = ["VERSION", "SET", "ACCESS", "REQUIRES", "UNTIL"]

    static func lines(_ versions: [Keychain.FormerVersion], aligned: Bool, width: Int? = nil) -> [String] {
        let rows = [header] + versions.map { row($0, aligned: aligned) }
        guard aligned else { return rows.map { $0.joined(separator: "\t") } }
        return Columns.aligned(rows, width: width, narrowing: [[3], [2], [1, 4]])
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
