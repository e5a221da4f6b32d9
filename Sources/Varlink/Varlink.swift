import FoundationEssentials

/// Varlink (varlink.org) as all of Coffer's sockets use it. Each message is one JSON object, ended by a zero byte.
public enum Varlink {
    /// Encodes a message, with its final zero.
    /// - Throws: the error of the message's own `encode(to:)`. Generated types throw none.
    public static func encode(_ message: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(message)) + [0]
    }

    /// Decodes a message without its final zero, as ``VarlinkMessage`` does.
    /// - Throws: ``MalformedMessage``, `DecodingError`.
    public static func decode<Message: Decodable>(_ type: Message.Type, from bytes: [UInt8]) throws -> Message {
        try VarlinkMessage(bytes).decode(type)
    }
}
