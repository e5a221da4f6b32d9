/// Makes passwords of letters and digits that no typeface confuses (no 0 O o, no 1 l I). Each character has about 5.8 bits.
enum PasswordGenerator {
    private static let lower = Array("abcdefghijkmnpqrstuvwxyz".utf8)
    private static let upper = Array("ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
    private static let digits = Array("23456789".utf8)

    /// The randomness comes from the kernel (getrandom(2)), through the standard library's system generator.
    static func password(length: Int) -> [UInt8] {
        let all = lower + upper + digits
        var source = SystemRandomNumberGenerator()
        while true {
            // `randomElement` draws each character with the same probability.
            let password = (0..<length).compactMap { _ in all.randomElement(using: &source) }
            // Websites ask for one of each kind. A password without one is drawn again as a whole.
            let complete = [lower, upper, digits].allSatisfy { kind in password.contains(where: kind.contains) }
            if complete { return password }
        }
    }
}
