import FoundationEssentials

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
        return try decoder.decode(type, from: Data(bytes))
    }
}

/// Bytes that are no valid message.
public struct MalformedMessage: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, as the end of a sentence. It quotes nothing from the message.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
