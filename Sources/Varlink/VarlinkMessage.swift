import FoundationEssentials

/// One message as it came, found to be one JSON object of the strict kind (RFC 8259), and of a size that is worth a decoder's work.
public struct VarlinkMessage: Sendable {
    private let bytes: [UInt8]

    /// - Parameter bytes: without the final zero.
    /// - Throws: ``MalformedMessage``: for what two readers could take for two things (a name twice, a trailing comma, `01`), and for what is too deep or too much.
    public init(_ bytes: [UInt8]) throws(MalformedMessage) {
        try JSONScanner.check(bytes)
        self.bytes = bytes
    }

    /// - Throws: `DecodingError`, whose words may quote the message.
    public func decode<Content: Decodable>(
        _ type: Content.Type, with userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Content {
        let decoder = JSONDecoder()
        decoder.userInfo = userInfo
        return try decoder.decode(type, from: Data(bytes))
    }
}

/// Bytes that are no message.
public struct MalformedMessage: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, as the end of a sentence; it quotes nothing.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
