import FoundationEssentials
import Platform

/// One received message. It is exactly one JSON object by RFC 8259, and small enough for a decoder.
public struct VarlinkMessage: Sendable {
    private let bytes: [UInt8]

    /// - Parameter bytes: the message without the final zero.
    /// - Throws: ``MalformedMessage`` for anything that two readers could read differently (a name twice, a trailing comma, `01`). Also for too deep
    ///   nesting or too many values.
    public init(_ bytes: [UInt8]) throws(MalformedMessage) {
        try JSONScanner.check(bytes)
        self.bytes = bytes
    }

    /// - Throws: `DecodingError`, whose text may quote the message.
    public func decode<Content: Decodable>(
        _ type: Content.Type, with userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Content {
        let decoder = JSONDecoder()
        decoder.userInfo = userInfo
        let copy = Data(bytes)
        // It may hold a secret, and nothing that is decoded shares its memory.
        defer { Wipe.storage(of: copy) }
        return try decoder.decode(type, from: copy)
    }
}

/// Bytes that are no valid message.
public struct MalformedMessage: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, as the end of a sentence. It quotes nothing from the message.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}

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
