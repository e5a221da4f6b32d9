import FoundationEssentials

/// The Varlink framing that all of Coffer's sockets share: one JSON object a message, ended by a zero byte.
public enum Varlink {
    /// The longest message that is taken, in bytes: a value of 1 MiB as base64, and room for the rest.
    public static let longestMessage = 2 << 20

    /// Makes bytes for the wire, with their final zero.
    /// - Throws: never for the types of this module.
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

/// One method of an interface: the value is its parameters.
public protocol VarlinkMethod: Codable, Sendable {
    associatedtype Reply: Codable & Sendable
    /// The interface's name, a dot, the method's name.
    static var name: String { get }
}

/// A call as it goes over the wire.
public struct VarlinkCall<Method: VarlinkMethod>: Codable, Sendable {
    public var method: String
    public var parameters: Method
    public var more: Bool?

    public init(_ parameters: Method, more: Bool? = nil) {
        self.method = Method.name
        self.parameters = parameters
        self.more = more
    }
}

/// What a server reads of a call first, before it knows which parameters to expect.
public struct VarlinkCallHeader: Codable, Sendable {
    public var method: String
    public var more: Bool?
    public var oneway: Bool?
    public var upgrade: Bool?
}

/// The parameters of a call whose method is known; nil when the caller left them out.
public struct VarlinkParameters<Parameters: Codable & Sendable>: Codable, Sendable {
    public var parameters: Parameters?
}

/// A successful answer.
public struct VarlinkReply<Reply: Codable & Sendable>: Codable, Sendable {
    public var parameters: Reply
    public var continues: Bool?

    public init(_ parameters: Reply, continues: Bool? = nil) {
        self.parameters = parameters
        self.continues = continues
    }
}

/// What a client reads of an answer first.
public struct VarlinkReplyHeader: Codable, Sendable {
    public var error: String?
    public var continues: Bool?
}

/// Parameters or answer of a method that has none.
public struct Nothing: Codable, Sendable, Equatable {
    public init() {}
}
