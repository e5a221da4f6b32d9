import ArgumentParser
import FoundationEssentials
import Platform

/// A past time: a length of time before now, a day, or a moment.
struct SinceArgument: Equatable {
    /// Since 1970-01-01 UTC.
    let milliseconds: Int64

    init(parsing argument: String) throws {
        let now = Date()
        guard let parsed = SinceArgument(argument, now: now, calendar: .local) else {
            let isToCome = Self.date(argument, now, .local).map { $0 > now } ?? false
            throw ValidationError(
                (isToCome ? "that time is in the future; " : "")
                    + "give a past time, such as 30m, 12h, 7d, 2026-01-31 or 2026-01-31T09:00:00Z")
        }
        self = parsed
    }

    init?(_ text: String, now: Date, calendar: CivilCalendar) {
        guard let date = Self.date(text, now, calendar), date.timeIntervalSince1970 >= 0, date <= now else {
            return nil
        }
        milliseconds = Int64(date.timeIntervalSince1970 * 1000)
    }

    private static func date(_ text: String, _ now: Date, _ calendar: CivilCalendar) -> Date? {
        length(text).map { now.addingTimeInterval(-$0) } ?? ExpirationArgument.day(text, calendar)
            ?? ExpirationArgument.moment(text)
    }

    private static func length(_ text: String) -> TimeInterval? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let last = text.last, let unit = units[last], let count = UInt16(text.dropLast()) else { return nil }
        return Double(count) * unit
    }
}
