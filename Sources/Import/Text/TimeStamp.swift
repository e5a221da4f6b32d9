import FoundationEssentials

/// Times of other programs, in the form of RFC 3339.
enum TimeStamp {
    /// - Returns: an empty text for a time that no calendar shows.
    static func text(seconds: Int64) -> String {
        // The years 1970 to 9999.
        guard (1...253_402_300_799).contains(seconds) else { return "" }
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    static func text(milliseconds: String) -> String { text(seconds: (Int64(milliseconds) ?? 0) / 1000) }

    /// Passes on a time that is written in this form already; anything else becomes empty.
    static func checked(_ text: String) -> String {
        let isTime =
            text.utf8.count <= 40 && text.utf8.first.map { (0x30...0x39).contains($0) } ?? false
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || "-+:.TZ ".utf8.contains($0) }
        return isTime ? text : ""
    }
}
