import Coffer

/// What is to be masked of secrets: each as a whole, and each line that differs from the whole, because programs print them line by line.
enum SecretStrings {
    /// A shorter string would be found everywhere, and its masks would tell where it stands.
    private static let least = 4
    /// Of several lines, shorter ones are too common: `}`, `---`.
    private static let leastOfLine = 8

    static func of(_ secrets: some Collection<ReferenceResolver.Secret>) throws(KeychainError) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        var size = 0
        for secret in secrets where !secret.line.isEmpty {
            let lines = secret.line.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
            // Programs print a single line without the blank ones around it, so it must be long enough by itself.
            let only = lines.count == 1 ? lines[0] : secret.line
            guard only.count >= least else {
                throw KeychainError(
                    .failed,
                    "the value of \(secret.shownName) has fewer than \(least) bytes, which is too short to be masked, so nothing was started",
                    advice: "leave out --mask, or choose a longer secret")
            }
            var parts = [Array(secret.line)]
            let shortest = lines.count == 1 ? least : leastOfLine
            if lines != [secret.line] { parts += lines.filter { $0.count >= shortest }.map(Array.init) }
            size += parts.reduce(0) { $0 + $1.count }
            guard size <= ReferenceLimits.masked else {
                throw KeychainError(
                    .limitExceeded,
                    "the secrets are too long to be masked (\(ReferenceLimits.masked >> 20) MiB together), so nothing was started",
                    advice: "leave out --mask, or name fewer secrets")
            }
            strings += parts
        }
        return strings
    }
}
