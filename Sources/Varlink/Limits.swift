import JSON

// The limits of a message on any of Coffer's sockets (docs/broker-protocol.md, "Limits").
extension Varlink {
    /// The longest message that is accepted, in bytes: a value of 1 MiB in Base64, and room for the rest.
    public static let longestMessage = 2 << 20
    /// The most values in one message. A longer list is sent in several messages.
    public static let mostValues = JSONReader.mostValues
    /// How many characters of a method's name an error repeats.
    static let shownName = 200
}
