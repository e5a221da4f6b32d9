import BrokerProtocol
import Coffer

/// The access log in lines: aligned for a person, as far as that goes for lines that come page by page; with tabs for a program.
struct LogTable {
    let aligned: Bool
    /// What the columns but the last take; they grow with what is shown.
    private var widths = [16, 7, 28, 18]
    /// A column grows up to here: one long name does not push all lines off the screen.
    private static let widest = 40
    /// What an item is asked for by what it requires.
    private static let proved: Set<String> = ["read", "rotate"]

    init(aligned: Bool) { self.aligned = aligned }

    var header: String { join(["TIME", "EVENT", "ITEM", "OUTCOME", "PROGRAM"]) }

    /// Makes room for records that are shown next.
    mutating func widen(for records: [Keychain.LogRecord]) {
        for record in records {
            for (column, text) in columns(record).prefix(widths.count).enumerated() {
                widths[column] = max(widths[column], min(TextWidth.of(text), Self.widest))
            }
        }
    }

    func line(_ record: Keychain.LogRecord) -> String { join(columns(record)) }

    private func columns(_ record: Keychain.LogRecord) -> [String] {
        var outcome = VisibleText.line(record.outcome)
        // Behind what nobody had to prove anything for it would look as if somebody had.
        if Self.proved.contains(record.event), !record.require.isEmpty {
            outcome += " (\(VisibleText.line(record.require.joined(separator: ", "))))"
        }
        return [
            aligned ? TimeText(record.time).clock() : TimeText(record.time).iso8601, VisibleText.line(record.event),
            item(record), outcome, program(record),
        ]
    }

    private func item(_ record: Keychain.LogRecord) -> String {
        guard let service = record.service else { return "-" }
        return VisibleText.name(service: service, account: record.account)
    }

    private func program(_ record: Keychain.LogRecord) -> String {
        var text = "-"
        if let pid = record.pid {
            text = "\(record.program.map(VisibleText.line) ?? "unknown")\(record.resolved ? "" : "?") (pid \(pid))"
        }
        if let reason = record.reason {
            text = (text == "-" ? "" : text + ", ") + "reason: \(VisibleText.quoted(reason))"
        }
        if let detail = record.detail {
            text = (text == "-" ? "" : text + ", ") + VisibleText.line(detail)
        }
        if let missed = record.missed { text += ", \(missed) records before it could not be written" }
        return text
    }

    private func join(_ columns: [String]) -> String {
        guard aligned else { return columns.joined(separator: "\t") }
        return columns.enumerated().map { index, text in
            guard index < widths.count else { return text }
            let shown = TextWidth.shortened(text, to: widths[index])
            return shown + String(repeating: " ", count: widths[index] - TextWidth.of(shown) + 2)
        }.joined()
    }
}

/// A record as `--json` gives it.
struct LogLine: Encodable {
    private let record: Keychain.LogRecord

    init(_ record: Keychain.LogRecord) { self.record = record }

    private enum CodingKeys: String, CodingKey {
        case sequence, time, event, outcome, uid, pid, program, resolved, controlGroup, item, service, account, require,
            reason, detail
        case missed
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(record.sequence, forKey: .sequence)
        try container.encode(TimeText(record.time).iso8601, forKey: .time)
        try container.encode(record.event, forKey: .event)
        try container.encode(record.outcome, forKey: .outcome)
        try container.encodeIfPresent(record.uid, forKey: .uid)
        try container.encodeIfPresent(record.pid, forKey: .pid)
        try container.encodeIfPresent(record.program, forKey: .program)
        try container.encode(record.resolved, forKey: .resolved)
        try container.encodeIfPresent(record.controlGroup, forKey: .controlGroup)
        try container.encodeIfPresent(record.item, forKey: .item)
        try container.encodeIfPresent(record.service, forKey: .service)
        try container.encodeIfPresent(record.account, forKey: .account)
        try container.encode(record.require, forKey: .require)
        try container.encodeIfPresent(record.reason, forKey: .reason)
        try container.encodeIfPresent(record.detail, forKey: .detail)
        try container.encodeIfPresent(record.missed, forKey: .missed)
    }
}
