import ArgumentParser
import Coffer
import FoundationEssentials
import Platform

/// When an item expires: after a length of time, on a day, at a moment, or never.
enum ExpirationArgument: Equatable {
    /// Milliseconds since 1970-01-01 UTC.
    case at(Int64)
    case never

    init(parsing argument: String) throws {
        let now = Date()
        guard let parsed = ExpirationArgument(argument, now: now, calendar: .local) else {
            let date = Self.date(argument, now, .local)
            let mistake = date.map { $0 <= now ? "that time is past; " : "that is too far in the future; " } ?? ""
            throw ValidationError(
                mistake
                    + "give a future time, such as 12h, 30d, 6w, 1y, 2027-01-31, or never")
        }
        self = parsed
    }

    init?(_ text: String, now: Date, calendar: CivilCalendar) {
        if text == "never" {
            self = .never
            return
        }
        guard let date = Self.date(text, now, calendar) else { return nil }
        guard date > now, date.timeIntervalSince(now) < NumberLimits.expirySeconds else { return nil }
        self = .at(Int64(date.timeIntervalSince1970 * 1000))
    }

    var expiry: Expiry {
        switch self {
        case .at(let time): .at(Date(milliseconds: time))
        case .never: .never
        }
    }

    private static func date(_ text: String, _ now: Date, _ calendar: CivilCalendar) -> Date? {
        length(text).map(now.addingTimeInterval) ?? day(text, calendar) ?? moment(text)
    }

    fileprivate static func length(_ text: String) -> TimeInterval? {
        let units: [Character: Double] = ["h": 3600, "d": 86_400, "w": 604_800, "y": 31_557_600]
        guard let last = text.last, let unit = units[last], let count = UInt32(text.dropLast()), count > 0 else {
            return nil
        }
        return Double(count) * unit
    }

    /// The midnight at which a day begins in the given calendar's time zone.
    static func day(_ text: String, _ calendar: CivilCalendar) -> Date? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts[1...].allSatisfy({ $0.count <= 2 }),
            parts.allSatisfy({ $0.allSatisfy(\.isASCII) })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 3 else { return nil }
        return calendar.beginning(ofDay: numbers[2], month: numbers[1], year: numbers[0])
            .map { Date(timeIntervalSince1970: Double($0)) }
    }

    static func moment(_ text: String) -> Date? {
        CivilCalendar.moment(ofStamp: text).map { Date(timeIntervalSince1970: Double($0)) }
    }
}

/// A length of time from now on: 12h, 30d, 6w, 1y.
struct ComingArgument: Equatable {
    let seconds: Double

    /// Whole days, rounded up.
    var days: Int64 { Int64((seconds / 86_400).rounded(.up)) }

    init(parsing argument: String) throws {
        guard let parsed = ComingArgument(argument) else {
            throw ValidationError("give a length of time, such as 12h, 30d, 6w or 1y")
        }
        self = parsed
    }

    init?(_ text: String) {
        guard let seconds = ExpirationArgument.length(text), seconds < NumberLimits.expirySeconds else { return nil }
        self.seconds = seconds
    }
}

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

/// A moment, whether past or to come.
struct MomentArgument: Equatable {
    /// Since 1970-01-01 UTC.
    let seconds: Int64

    init(parsing argument: String) throws {
        guard let date = ExpirationArgument.moment(argument), date.timeIntervalSince1970 >= 0,
            let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down))
        else { throw ValidationError("give a time such as 2027-01-31T09:00:00Z") }
        self.seconds = seconds
    }
}

/// How long an answer may be used again: 30s, 5m.
struct AnswerTimeArgument: Equatable {
    let seconds: Int

    init(parsing argument: String) throws {
        guard let parsed = AnswerTimeArgument(argument) else {
            throw ValidationError("give a length of time, such as 30s or 5m")
        }
        guard parsed.seconds <= NumberLimits.answerSeconds else {
            throw ValidationError("the time is 5 minutes at most: --for 5m")
        }
        self = parsed
    }

    init?(_ text: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600]
        guard let last = text.last, let unit = units[last], let count = UInt16(text.dropLast()), count > 0 else {
            return nil
        }
        seconds = Int(count) * unit
    }

    /// The time in words.
    var spoken: String {
        let parts = [(seconds / 60, "minute"), (seconds % 60, "second")].filter { $0.0 > 0 }
        return parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
    }
}
