import FoundationEssentials

/// One call as a server takes it, read in one go: the parameters as the type of the method that is called.
public struct IncomingCall: Sendable {
    /// The method's full name, also of one that is not served.
    public let method: String
    /// Several replies are welcome.
    public let more: Bool
    /// No reply is wanted, not even an error.
    public let oneway: Bool
    private let content: Content

    private enum Content {
        case parameters(any VarlinkMethod)
        case refused(Fault)
        /// The method is not one of those that are served.
        case unknown
    }

    /// - Parameter served: the methods that are served, by their names.
    /// - Throws: `DecodingError` for what is no Varlink call. The connection is not worth keeping then.
    public init(_ message: VarlinkMessage, served: ServedMethods) throws {
        let envelope = try message.decode(Envelope.self, with: [ServedMethods.key: served])
        method = envelope.method
        more = envelope.more
        oneway = envelope.oneway
        content = envelope.content
    }

    /// The parameters; nil where the method is not served.
    /// - Throws: `InvalidParameter`, naming the parameter that is missing or of another type.
    public func parameters() throws(Fault) -> (any VarlinkMethod)? {
        switch content {
        case .parameters(let parameters): parameters
        case .refused(let fault): throw fault
        case .unknown: nil
        }
    }

    private struct Envelope: Decodable {
        let method: String
        let more: Bool
        let oneway: Bool
        let content: Content

        private enum Keys: String, CodingKey {
            case method, parameters, more, oneway, upgrade
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            method = try container.decode(String.self, forKey: .method)
            more = try container.decodeIfPresent(Bool.self, forKey: .more) ?? false
            oneway = try container.decodeIfPresent(Bool.self, forKey: .oneway) ?? false
            // Nothing can be upgraded here, and a wrong type is no call all the same.
            _ = try container.decodeIfPresent(Bool.self, forKey: .upgrade)
            guard let type = (decoder.userInfo[ServedMethods.key] as? ServedMethods)?[method] else {
                content = .unknown
                return
            }
            content = Self.read(type, container)
        }

        private static func read<Method: VarlinkMethod>(
            _ type: Method.Type, _ container: KeyedDecodingContainer<Keys>
        ) -> Content {
            do {
                return .parameters(
                    try container.decodeIfPresent(type, forKey: .parameters)
                        ?? Varlink.decode(type, from: Array("{}".utf8)))
            } catch let error as DecodingError {
                return .refused(Fault(parameters: error))
            } catch {
                // A number that its type cannot hold: the decoder does not say which.
                return .refused(
                    Fault(
                        .invalidParameter,
                        Fault.Details(message: "A number is not what the interface says.", parameter: "parameters")))
            }
        }
    }
}

/// The methods that a socket serves.
public struct ServedMethods: Sendable {
    private let types: [String: any VarlinkMethod.Type]

    public init(_ types: [any VarlinkMethod.Type]) {
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
    }

    subscript(_ name: String) -> (any VarlinkMethod.Type)? { types[name] }

    /// Where a decoder finds them.
    static let key = CodingUserInfoKey(rawValue: "org.varlink.served-methods")!
}
