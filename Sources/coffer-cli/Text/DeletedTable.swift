import BrokerProtocol
import Coffer
import FoundationEssentials

/// An item of the bin, and until when it stays there.
struct DeletedRow {
    let item: ItemAttributes
    let deleted: Moment
    let until: Moment

    /// - Returns: nil for an item that is not in the bin.
    init?(_ item: ItemAttributes, days: Int64) {
        guard let deleted = item.deleted else { return nil }
        self.item = item
        self.deleted = deleted
        let (end, isOutOfRange) = deleted.milliseconds.addingReportingOverflow(days * 86_400_000)
        until = Moment(milliseconds: isOutOfRange ? .max : end)
    }
}

/// The items of the bin, one on each line.
enum DeletedTable {
    private static let header = ["SERVICE", "ACCOUNT", "DELETED", "UNTIL"]

    static func lines(_ items: [DeletedRow], aligned: Bool, width: Int? = nil) -> [String] {
        var rows = [header] + items.map { row($0, aligned: aligned) }
        if items.contains(where: { $0.item.kind != .genericPassword }) {
            rows = zip(rows, ["KIND"] + items.map(\.item.kind.rawValue)).map { $0 + [$1] }
        }
        guard aligned else { return rows.map { $0.joined(separator: "\t") } }
        return Columns.aligned(rows, width: width, narrowing: [[0, 1], Array(2..<rows[0].count)])
    }

    private static func row(_ row: DeletedRow, aligned: Bool) -> [String] {
        let times = [row.deleted, row.until].map { time in
            aligned ? TimeText(time).relative() : TimeText(time).iso8601
        }
        return [VisibleText.line(row.item.service), VisibleText.line(row.item.account)] + times
    }
}
