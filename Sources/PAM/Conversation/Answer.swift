public import Cryptography

/// Checks what may be given to a PAM module as an answer.
public enum Answer {
    /// `PAM_MAX_RESP_SIZE` (512) counts the NUL that ends the answer.
    public static let maximumCount = 511

    /// The reason why these bytes cannot be an answer; nil if they can. A NUL byte would silently cut the password short.
    public static func objection(to bytes: SecretBytes) -> String? {
        guard bytes.count <= maximumCount else { return "An answer may have at most \(maximumCount) bytes." }
        let hasNUL = bytes.withBytes { span in
            var found: UInt8 = 0
            for index in span.indices where span[index] == 0 { found = 1 }
            return found != 0
        }
        return hasNUL ? "An answer may not contain a NUL byte." : nil
    }
}
