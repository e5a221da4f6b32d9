import JSON

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

    /// - Parameters:
    ///   - message: without the final zero. Nothing of it is shared or kept, because it may hold a secret.
    ///   - served: the methods that are served, by their names.
    /// - Throws: ``JSONFailure`` if the message is no Varlink call. The connection is then not worth keeping.
    public init(_ message: [UInt8], served: ServedMethods) throws(JSONFailure) {
        self = try JSONReader.read(message, isUntrusted: true) { (reader) throws(JSONFailure) in
            try IncomingCall(&reader, served)
        }
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

    private static let names = ["method", "more", "oneway", "parameters", "upgrade"]

    private init(_ reader: inout JSONReader, _ served: ServedMethods) throws(JSONFailure) {
        var method: String?
        var more: Bool?
        var oneway: Bool?
        var content: Content?
        var parameters: JSONMark?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.names) {
            switch member {
            case 0: method = try reader.read()
            case 1: more = try reader.read()
            case 2: oneway = try reader.read()
            case 3:
                parameters = reader.mark()
                // Coffer's own callers name the method first. Of others, the parameters wait until the method is known.
                if let method {
                    content = try Self.content(of: method, served, &reader)
                } else {
                    try reader.skipValue()
                }
            default:
                // No call can be upgraded here, but a wrong type still makes the call invalid.
                let _: Bool? = try reader.read()
            }
        }
        self.method = try members.required(method, "method")
        self.more = more ?? false
        self.oneway = oneway ?? false
        if content == nil, let parameters {
            let end = reader.mark()
            reader.go(to: parameters)
            content = try Self.content(of: self.method, served, &reader)
            reader.go(to: end)
        }
        if let content {
            self.content = content
        } else {
            self.content = try Self.withoutParameters(self.method, served)
        }
    }

    private static func withoutParameters(
        _ method: String, _ served: ServedMethods
    ) throws(JSONFailure) -> Content {
        try JSONReader.read(Array("{}".utf8)) { (reader) throws(JSONFailure) in
            try content(of: method, served, &reader) ?? .unknown
        }
    }

    /// Reads the parameters, which may be null. If they are not those of the method, they are checked and passed over.
    /// - Throws: `malformed`.
    private static func content(
        of method: String, _ served: ServedMethods, _ reader: inout JSONReader
    ) throws(JSONFailure) -> Content? {
        guard let type = served[method] else {
            try reader.skipValue()
            return .unknown
        }
        let start = reader.mark()
        do throws(JSONFailure) { return try read(type, &reader) } catch {
            guard error.malformation == nil else { throw error }
            reader.go(to: start)
            if case .contradiction(let reason) = error {
                try reader.skipValue()
                return .refused(Fault(served.contradiction, reason))
            }
            let name = try reader.names(around: error).last { $0 != "parameters" }
            return .refused(Fault(parameter: name ?? "parameters"))
        }
    }

    private static func read<Method: VarlinkMethod>(
        _ type: Method.Type, _ reader: inout JSONReader
    ) throws(JSONFailure) -> Content? {
        let method: Method? = try reader.read()
        return method.map { .parameters($0) }
    }
}

/// The methods that a socket serves.
public struct ServedMethods: Sendable {
    private let types: [String: any VarlinkMethod.Type]
    /// The error for parameters that contradict each other.
    let contradiction: Fault.Name

    public init(_ types: [any VarlinkMethod.Type], contradiction: Fault.Name = .invalidParameter) {
        self.contradiction = contradiction
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
    }

    subscript(_ name: String) -> (any VarlinkMethod.Type)? { types[name] }
}
