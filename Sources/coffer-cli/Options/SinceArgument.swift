import ArgumentParser
import Foundation

/// A time that has passed: so long ago, a day, a moment.
struct SinceArgument: Equatable {
    /// Since 1970.
    let milliseconds: Int64

    init(parsing argument: String) throws {
        guard let parsed = SinceArgument(argument, now: Date(), calendar: .current) else {
            throw ValidationError("a time is such as 30m, 12h, 7d, 2026-01-31 or 2026-01-31T09:00:00Z")
        }
        self = parsed
    }

    init?(_ text: String, now: Date, calendar: Calendar) {
        let date =
            Self.length(text).map { now.addingTimeInterval(-$0) } ?? ExpirationArgument.day(text, calendar)
            ?? ExpirationArgument.moment(text)
        guard let date, date.timeIntervalSince1970 >= 0, date <= now else { return nil }
        milliseconds = Int64(date.timeIntervalSince1970 * 1000)
    }

    private static func length(_ text: String) -> TimeInterval? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let last = text.last, let unit = units[last], let count = UInt16(text.dropLast()) else { return nil }
        return Double(count) * unit
    }
}
