import FoundationEssentials

/// Varlink (varlink.org) as all of Coffer's sockets speak it: one JSON object a message, ended by a zero byte.
public enum Varlink {
    /// The longest message that is taken, in bytes: a value of 1 MiB as base64, and room for the rest.
    public static let longestMessage = 2 << 20

    /// Makes bytes for the wire, with their final zero.
    /// - Throws: what the message's own `encode(to:)` throws; for generated types nothing.
    public static func encode(_ message: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(message)) + [0]
    }

    /// Reads a message that has lost its final zero, as ``VarlinkMessage`` does.
    /// - Throws: ``MalformedMessage``, `DecodingError`.
    public static func decode<Message: Decodable>(_ type: Message.Type, from bytes: [UInt8]) throws -> Message {
        try VarlinkMessage(bytes).decode(type)
    }
}
