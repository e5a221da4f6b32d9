/// The seed of one-time passwords as an `otpauth://` address.
enum OneTimeSeed {
    private static let scheme = "otpauth://"

    /// - Parameter text: an `otpauth://` address, or only the seed in Base32.
    /// - Returns: nil for anything else, also for what `coffer otp` could not use.
    static func address(_ text: String, issuer: String, account: String) -> String? {
        let text = text.trimmingSpaces
        if text.lowercased().hasPrefix(scheme) { return isUsable(text) ? text : nil }
        let seed = text.filter { !$0.isWhitespace && $0 != "-" && $0 != "=" }.uppercased()
        guard seed.count >= 8, seed.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }) else {
            return nil
        }
        let label = encoded(issuer) + (account.isEmpty ? "" : ":\(encoded(account))")
        return "otpauth://totp/\(label)?secret=\(seed)" + (issuer.isEmpty ? "" : "&issuer=\(encoded(issuer))")
    }

    /// Whether an address has a seed in Base32, for passwords of digits that follow the time (docs/values.md).
    private static func isUsable(_ address: String) -> Bool {
        let rest = address.dropFirst(scheme.count)
        guard rest.prefix(while: { $0 != "/" && $0 != "?" }).lowercased() == "totp",
            let question = rest.firstIndex(of: "?")
        else { return false }
        var parameters: [String: Substring] = [:]
        for pair in rest[rest.index(after: question)...].prefix(while: { $0 != "#" }).split(separator: "&") {
            guard let equals = pair.firstIndex(of: "=") else { continue }
            let name = pair[..<equals].lowercased()
            guard parameters.updateValue(pair[pair.index(after: equals)...], forKey: name) == nil else { return false }
        }
        func isNumber(_ name: String, in range: ClosedRange<Int>) -> Bool {
            parameters[name].map { Int($0).map(range.contains) ?? false } ?? true
        }
        let seed = (parameters["secret"] ?? "").uppercased().replacing("%3D", with: "=").replacing("%20", with: " ")
            .filter { !" -=".contains($0) }
        return !seed.isEmpty && seed.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }
            && parameters["encoder"] == nil && isNumber("digits", in: 6...8) && isNumber("period", in: 1...3600)
            && ["SHA1", "SHA256", "SHA512", nil].contains(parameters["algorithm"]?.uppercased())
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
