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
