import BrokerProtocol
import Coffer
import Platform

/// The access log in lines. For a person the columns are aligned as far as possible, since records come page by page. For a program they are
/// separated by tabs.
struct LogTable {
    let aligned: Bool
    /// Whether each line names the user. In a person's own log it is always the same.
    private let namesUsers: Bool
    /// The widths of all columns but the last. They grow with the content.
    private var widths: [Int]
    /// The widest that a column gets, so that one long name does not push all lines off the screen.
    private static let widest = 40
    /// The events for which an item's requirements are proved.
    private static let proved: Set<String> = ["read", "rotate", "lease"]

    /// The terminal's width, to which lines are cut; nil if it is not known.
    private let width: Int?

    init(aligned: Bool, width: Int? = nil, namesUsers: Bool = false) {
        self.aligned = aligned
        self.width = width
        self.namesUsers = namesUsers
        widths = [16, 7, 28, 18] + (namesUsers ? [8] : [])
    }

    var header: String {
        join(["TIME", "EVENT", "ITEM", "OUTCOME"] + (namesUsers ? ["USER"] : []) + ["PROGRAM"])
    }

    /// Widens the columns for the records that are shown next.
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
        // After other events, the requirements would look as if somebody had proved them.
        if Self.proved.contains(record.event), !record.require.isEmpty {
            outcome += " (\(VisibleText.line(record.require.joined(separator: ", "))))"
        }
        return [
            aligned ? TimeText(record.time).clock() : TimeText(record.time).iso8601, VisibleText.line(record.event),
            item(record), outcome,
        ] + (namesUsers ? [Self.user(record)] : []) + [program(record)]
    }

    /// The user's present name. The log itself has only the number.
    private static func user(_ record: Keychain.LogRecord) -> String {
        guard let uid = record.uid else { return "-" }
        // `try?`: a number without a name, or a name service that does not answer, leaves the number.
        let account = UInt32(exactly: uid).flatMap { (try? Account.withUID($0)) ?? nil }
        return account.map { VisibleText.line($0.name) } ?? "uid \(uid)"
    }

    private func item(_ record: Keychain.LogRecord) -> String {
        guard let service = record.service else { return "-" }
        return VisibleText.name(service: service, account: record.account, kind: record.kind)
    }

    private func program(_ record: Keychain.LogRecord) -> String {
        var text = "-"
        if let pid = record.pid {
            // Anybody can name a program as this line goes on. A log keeps all of the name, unlike a prompt.
            let name = record.program.map { VisibleText.quoted($0, likePath: true) } ?? "unknown"
            text = "\(name)\(record.resolved ? "" : "?") (pid \(pid))"
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
        let line = columns.enumerated().map { index, text in
            guard index < widths.count else { return text }
            let shown = TextWidth.shortened(text, to: widths[index])
            return shown + String(repeating: " ", count: widths[index] - TextWidth.of(shown) + 2)
        }.joined()
        return width.map { TextWidth.shortened(line, to: $0) } ?? line
    }
}

/// A record as `--json` gives it.
struct LogLine: Encodable {
    private let record: Keychain.LogRecord

    init(_ record: Keychain.LogRecord) { self.record = record }

    private enum CodingKeys: String, CodingKey {
        case sequence, time, event, outcome, uid, pid, program, resolved, controlGroup, item, service, account, kind,
            require, reason, detail, missed
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
        // Left out of a generic item's record, as in the text.
        try container.encodeIfPresent(record.kind?.rawValue, forKey: .kind)
        try container.encode(record.require, forKey: .require)
        try container.encodeIfPresent(record.reason, forKey: .reason)
        try container.encodeIfPresent(record.detail, forKey: .detail)
        try container.encodeIfPresent(record.missed, forKey: .missed)
    }
}
