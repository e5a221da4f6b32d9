/// One method of an interface. The value is the call's parameters.
public protocol VarlinkMethod: Codable, Sendable {
    associatedtype Reply: Codable & Sendable
    /// The interface's name, a dot, the method's name.
    static var name: String { get }
}

/// The parameters or the reply of a method that has none.
public struct Nothing: Codable, Sendable, Equatable {
    public init() {}
}

/// A call as it is sent.
public struct VarlinkCall<Method: VarlinkMethod>: Codable, Sendable {
    public var method: String
    public var parameters: Method
    /// Whether the caller accepts several replies.
    public var more: Bool?

    public init(_ parameters: Method, more: Bool? = nil) {
        self.method = Method.name
        self.parameters = parameters
        self.more = more
    }
}

/// A successful reply as it is sent.
public struct VarlinkReply<Reply: Codable & Sendable>: Codable, Sendable {
    public var parameters: Reply
    /// Whether another reply to the same call follows.
    public var continues: Bool?

    public init(_ parameters: Reply, continues: Bool? = nil) {
        self.parameters = parameters
        self.continues = continues
    }
}

/// The answer to a call.
public enum VarlinkAnswer<Reply: Codable & Sendable>: Decodable, Sendable {
    case reply(Reply, continues: Bool)
    /// An error of one of the interfaces.
    case fault(Fault)

    private enum Keys: String, CodingKey {
        case error, parameters, continues
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        if try container.decodeIfPresent(String.self, forKey: .error) != nil {
            self = .fault(try Fault(from: decoder))
        } else {
            self = .reply(
                try container.decode(Reply.self, forKey: .parameters),
                continues: try container.decodeIfPresent(Bool.self, forKey: .continues) ?? false)
        }
    }
}
