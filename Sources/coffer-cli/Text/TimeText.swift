import Coffer
import FoundationEssentials
import Platform

/// A time from the broker, in milliseconds since 1970-01-01 UTC, in words.
struct TimeText {
    let milliseconds: Int64

    init(_ milliseconds: Int64) { self.milliseconds = milliseconds }

    init(_ date: Date) { self.init(Moment(date)) }

    init(_ moment: Moment) { self.init(moment.milliseconds) }

    private var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// For programs: 2026-03-14T09:26:53.589Z
    var iso8601: String {
        // The milliseconds are added as text, because a floating-point time would sometimes lose one.
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(Date.ISO8601FormatStyle())
        return whole.dropLast() + "." + String(String(1000 + max(0, rest)).dropFirst()) + "Z"
    }

    /// In the local time zone. The day is shown only if it is not today.
    func clock(now: Date = Date()) -> String {
        guard let fields else { return iso8601 }
        let today = CivilCalendar.local.fields(of: Int64(now.timeIntervalSince1970))
        return today?.isSameDay(as: fields) ?? false ? fields.timeText : "\(fields.dayText) \(fields.timeText)"
    }

    /// In the local time zone: 2026-03-14
    var day: String { fields?.dayText ?? iso8601 }

    private var fields: CivilCalendar.Fields? {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return CivilCalendar.local.fields(of: rest < 0 ? seconds - 1 : seconds)
    }

    /// "3 days ago", "in 2 hours", "just now".
    func relative(to now: Date = Date()) -> String {
        let seconds = date.timeIntervalSince(now)
        let length = abs(seconds)
        if length < 60 { return seconds > 1 ? "in less than a minute" : "just now" }
        let units: [(name: String, seconds: Double)] = [
            ("year", 31_557_600), ("month", 2_629_800), ("week", 604_800), ("day", 86_400), ("hour", 3600),
            ("minute", 60),
        ]
        // Weeks and months are used from two on: "10 days" says more than "1 week".
        let unit =
            units.first { length >= $0.seconds * ($0.name == "week" || $0.name == "month" ? 2 : 1) } ?? ("minute", 60)
        let count = Int(length / unit.seconds)
        let words = "\(count) \(unit.name)\(count == 1 ? "" : "s")"
        return seconds > 0 ? "in \(words)" : "\(words) ago"
    }
}
