// The limits of a message on any of Coffer's sockets (docs/broker-protocol.md, "Limits").
extension Varlink {
    /// The longest message that is accepted, in bytes: a value of 1 MiB in Base64, and room for the rest.
    public static let longestMessage = 2 << 20
    /// The most values in one message. A longer list is sent in several messages. A message's cost is the decoder's
    /// work for each value, not its bytes.
    public static let mostValues = 20_000
    /// The deepest nesting. No message needs as much, and every stack has room for it.
    static let deepest = 32
    /// How many characters of a method's name an error repeats.
    static let shownName = 200
}
