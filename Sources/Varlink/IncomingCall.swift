import FoundationEssentials

/// One call as a server receives it. Its parameters have the type of the called method.
public struct IncomingCall: Sendable {
    /// The method's full name, even if the method is not served.
    public let method: String
    /// Whether the caller accepts several replies.
    public let more: Bool
    /// Whether the caller wants no reply, not even an error.
    public let oneway: Bool
    private let content: Content

    private enum Content {
        case parameters(any VarlinkMethod)
        case refused(Fault)
        /// The method is not served.
        case unknown
    }

    /// - Parameter served: the methods that are served, by their names.
    /// - Throws: `DecodingError` if the message is no Varlink call. The connection is then not worth keeping.
    public init(_ message: VarlinkMessage, served: ServedMethods) throws {
        let envelope = try message.decode(Envelope.self, with: [ServedMethods.key: served])
        method = envelope.method
        more = envelope.more
        oneway = envelope.oneway
        content = envelope.content
    }

    /// The parameters; nil if the method is not served.
    /// - Throws: `InvalidParameter`, with the name of the parameter that is missing or has another type.
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
            // No call can be upgraded here, but a wrong type still makes the call invalid.
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
            } catch let fault as Fault {
                // The type says itself why it refuses what it was given.
                return .refused(fault)
            } catch {
                // The type cannot hold a number, and the decoder does not say which.
                return .refused(
                    Fault(
                        .invalidParameter,
                        Fault.Details(message: "a number is not what the interface says", parameter: "parameters")))
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

    /// The key under which a decoder finds the methods.
    static let key = CodingUserInfoKey(rawValue: "org.varlink.served-methods")!
}
