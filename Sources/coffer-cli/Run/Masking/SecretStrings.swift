import Coffer

/// What is to be masked of secrets: each as a whole, and each line of those that have several, because programs print them line by line.
enum SecretStrings {
    /// A shorter string would be found everywhere, and its masks would tell where it stands.
    private static let least = 4
    /// Lines that are shorter are too common: `}`, `---`.
    private static let leastOfLine = 8

    static func of(_ secrets: some Collection<ReferenceResolver.Secret>) throws(KeychainError) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        var size = 0
        for secret in secrets where !secret.line.isEmpty {
            guard secret.line.count >= least else {
                throw KeychainError(
                    .failed,
                    "the value of \(secret.shownName) has fewer than \(least) bytes, which is too short to be masked, so nothing was started",
                    advice: "leave out --mask, or choose a longer secret")
            }
            var parts = [Array(secret.line)]
            let lines = secret.line.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
            if lines.count > 1 { parts += lines.filter { $0.count >= leastOfLine }.map(Array.init) }
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
