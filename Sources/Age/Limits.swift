// The limits of what is read in the age format, which anybody may have made.
enum AgeLimits {
    /// The longest header, in bytes.
    static let header = 64 << 10
    /// The most stanzas.
    static let stanzas = 256
    /// The most recipients of one file.
    static let recipients = 64
    /// The cost of a passphrase, as a power of two: what age itself writes. It takes 256 MiB and about a second.
    static let writtenWorkFactor = 18
    /// The highest cost that is accepted: 1 GiB and a few seconds. Without a limit, a file could stop the machine.
    static let mostWorkFactor = 20
    /// The plain bytes of a chunk.
    static let chunk = 64 << 10
    /// A file key, in bytes.
    static let fileKey = 16
    /// A wrapped file key, in bytes.
    static let wrappedKey = 32
    /// The payload's nonce, in bytes.
    static let nonce = 16
    /// The salt of a passphrase, in bytes.
    static let salt = 16
    /// A line of a stanza's body, and of armor, in characters.
    static let column = 64
}
