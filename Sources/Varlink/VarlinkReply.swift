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
