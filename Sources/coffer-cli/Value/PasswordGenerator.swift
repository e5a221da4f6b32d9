/// Makes passwords: letters and digits that no typeface confuses (no 0 O o, no 1 l I), about 5.8 bits each.
enum PasswordGenerator {
    private static let lower = Array("abcdefghijkmnpqrstuvwxyz".utf8)
    private static let upper = Array("ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
    private static let digits = Array("23456789".utf8)

    /// The source is the kernel's (getrandom(2)), by the standard library's system generator.
    static func password(length: Int) -> [UInt8] {
        let all = lower + upper + digits
        var source = SystemRandomNumberGenerator()
        while true {
            // `randomElement` rejects what would favour some letters.
            let password = (0..<length).compactMap { _ in all.randomElement(using: &source) }
            // One of each, because sites ask for that; the others are drawn again as a whole.
            let complete = [lower, upper, digits].allSatisfy { kind in password.contains(where: kind.contains) }
            if complete { return password }
        }
    }
}
