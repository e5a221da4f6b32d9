import Glibc

/// Days and times of day in the time zones of the C library (localtime(3), mktime(3)).
public struct CivilCalendar: Sendable {
    /// The day and time of one moment.
    public struct Fields: Sendable, Equatable {
        public var year: Int
        /// From 1.
        public var month: Int
        /// From 1.
        public var day: Int
        public var hour = 0
        public var minute = 0
        public var second = 0

        public func isSameDay(as other: Fields) -> Bool { (year, month, day) == (other.year, other.month, other.day) }

        /// 2026-03-14
        public var dayText: String { "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))" }
        /// 09:26
        public var timeText: String { "\(Self.digits(hour, 2)):\(Self.digits(minute, 2))" }
        /// 2026-03-14T09:26:53Z (RFC 3339), if they are those of UTC.
        public var stampText: String { "\(dayText)T\(timeText):\(Self.digits(second, 2))Z" }

        private static func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
    }

    private let isLocal: Bool

    /// The calendar in this process's time zone.
    public static let local = CivilCalendar(isLocal: true)
    public static let utc = CivilCalendar(isLocal: false)

    /// - Parameter seconds: seconds since 1970-01-01 UTC.
    /// - Returns: nil if the C library cannot represent the year.
    public func fields(of seconds: Int64) -> Fields? {
        var moment = time_t(seconds)
        var parts = unsafe tm()
        let isKnown =
            if isLocal { unsafe localtime_r(&moment, &parts) != nil } else { unsafe gmtime_r(&moment, &parts) != nil }
        guard isKnown else { return nil }
        return unsafe Fields(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
            hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec))
    }

    /// The moment at which a day begins, in seconds since 1970-01-01 UTC.
    /// - Returns: nil if there is no such day, such as February 30.
    public func beginning(ofDay day: Int, month: Int, year: Int) -> Int64? {
        guard let day = Int32(exactly: day), (1...12).contains(month), (1...9999).contains(year) else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), day)
        // The C library finds out whether summer time is in force then.
        unsafe parts.tm_isdst = -1
        let moment = if isLocal { unsafe mktime(&parts) } else { unsafe timegm(&parts) }
        let asked = Fields(year: year, month: month, day: Int(day))
        guard let found = fields(of: Int64(moment)), found.isSameDay(as: asked) else { return nil }
        return Int64(moment)
    }

    /// The moment of a stamp such as 2026-03-14T09:26:53Z (RFC 3339, section 5.6), in seconds since 1970-01-01 UTC. Fractions
    /// of a second are left out, and a leap second is the next one.
    /// - Returns: nil if it is no stamp.
    public static func moment(ofStamp text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count <= 64, bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(bytes[10]), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":")
        else { return nil }
        let numbers = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].compactMap { Self.number(bytes[$0]) }
        guard numbers.count == 6, numbers[3] < 24, numbers[4] < 60, numbers[5] <= 60,
            let day = utc.beginning(ofDay: numbers[2], month: numbers[1], year: numbers[0])
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { Self.isDigit($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest[digits.endIndex...]
        }
        guard let offset = offset(rest) else { return nil }
        return day + Int64(numbers[3] * 3600 + numbers[4] * 60 + numbers[5]) - offset
    }

    /// How many seconds a zone is ahead of UTC: `Z`, `+02:00`.
    private static func offset(_ zone: ArraySlice<UInt8>) -> Int64? {
        if zone == [UInt8(ascii: "Z")] || zone == [UInt8(ascii: "z")] { return 0 }
        let zone = Array(zone)
        guard zone.count == 6, zone[3] == UInt8(ascii: ":"), let hours = number(zone[1..<3]), hours < 24,
            let minutes = number(zone[4..<6]), minutes < 60
        else { return nil }
        let seconds = Int64(hours * 3600 + minutes * 60)
        switch zone[0] {
        case UInt8(ascii: "+"): return seconds
        case UInt8(ascii: "-"): return -seconds
        default: return nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// - Returns: nil if they are not digits alone.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
