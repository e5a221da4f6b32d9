/// Accents and other marks that stand on the letter before them. Unicode calls them nonstarters.
///
/// Two texts are equal in Swift even if they have such marks in another order. So Swift sorts each run of marks before
/// it compares or hashes a text. The time for that grows with the square of the run's length.
public enum CombiningMarks {
    /// The most marks in a row that a text may have if its sender is not trusted. No language needs more than 30. That
    /// is the limit of Unicode's Stream-Safe Text Format (UAX #15, section 13).
    public static let most = 256

    /// Whether the time to compare a text grows with its length alone.
    public static func areFew(in text: String) -> Bool {
        // A mark has at least two bytes.
        guard text.utf8.count > 2 * most else { return true }
        var run = 0
        for scalar in text.unicodeScalars {
            run = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered ? run + 1 : 0
            guard run <= most else { return false }
        }
        return true
    }
}
