/// The seed of one-time passwords as an `otpauth://` address.
enum OneTimeSeed {
    /// - Parameter text: an `otpauth://` address, or only the seed in Base32.
    /// - Returns: nil for anything else.
    static func address(_ text: String, issuer: String, account: String) -> String? {
        let text = text.trimmingSpaces
        if text.lowercased().hasPrefix("otpauth://") { return text }
        let seed = text.filter { !$0.isWhitespace && $0 != "-" && $0 != "=" }.uppercased()
        guard seed.count >= 8, seed.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }) else {
            return nil
        }
        let label = encoded(issuer) + (account.isEmpty ? "" : ":\(encoded(account))")
        return "otpauth://totp/\(label)?secret=\(seed)" + (issuer.isEmpty ? "" : "&issuer=\(encoded(issuer))")
    }

    /// Percent-encoding of RFC 3986.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~".utf8.contains(byte)
            if isPlain { return String(Unicode.Scalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
