/// A length of time in words.
enum SpokenTime {
    /// - Parameter seconds: more than 0.
    static func of(seconds: Int) -> String {
        let parts = [(seconds / 60, "minute"), (seconds % 60, "second")].filter { $0.0 > 0 }
        return parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
    }
}
