import FoundationEssentials

/// The time of day.
public enum SystemClock {
    /// Milliseconds since 1970-01-01 UTC.
    @Sendable public static func now() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }
}

extension SystemClock {
    /// The date for people, such as `2026-11-21`.
    static func date(_ milliseconds: UInt64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601.year().month().day())
    }
}
