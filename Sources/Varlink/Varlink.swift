import JSON

/// Varlink (varlink.org) as all of Coffer's sockets use it. Each message is one JSON object, ended by a zero byte.
public enum Varlink {
    /// Encodes a message, with its final zero.
    public static func encode(_ message: some JSONWritable) -> [UInt8] {
        var writer = JSONWriter()
        message.write(to: &writer)
        return writer.message()
    }

    /// Decodes a message without its final zero.
    /// - Throws: ``JSONFailure``.
    public static func decode<Message: JSONReadable>(
        _ type: Message.Type, from bytes: [UInt8]
    ) throws(JSONFailure) -> Message {
        try JSONReader.read(type, from: bytes)
    }
}

// The limits of a message on any of Coffer's sockets (docs/broker-protocol.md, "Limits").
extension Varlink {
    /// The longest message that is accepted, in bytes: a value of 1 MiB in Base64, and room for the rest.
    public static let longestMessage = 2 << 20
    /// The most values in one message. A longer list is sent in several messages.
    public static let mostValues = JSONReader.mostValues
    /// How many Unicode scalars of a method's name an error repeats.
    static let shownName = 200
}
