/// Marks that stand on the letter before them, such as accents. Unicode calls them nonstarters.
///
/// Two texts are equal if their marks are, in whatever order they were written. So each run of marks is sorted before a
/// text is compared or hashed, and the time for that grows with the square of its length.
public enum CombiningMarks {
    /// The most marks in a row in a text of somebody who is not trusted. No language needs more than 30, the number that
    /// Unicode's Stream-Safe Text Format allows (UAX #15, section 13).
    public static let most = 256

    /// Whether a text can be compared in a time that grows with its length alone.
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
