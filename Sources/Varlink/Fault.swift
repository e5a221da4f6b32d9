import JSON

/// An error as it is sent: a name from one of the interfaces, and its parameters.
public struct Fault: Error, JSONValue, Equatable {
    public var name: Name
    public var details: Details

    public init(_ name: Name, _ details: Details = Details()) {
        self.name = name
        self.details = details
    }

    /// - Parameters:
    ///   - message: what happened, as a clause without a capital and a full stop.
    ///   - advice: what to do about it; empty if there is nothing to do but what the name says.
    public init(_ name: Name, _ message: String, advice: String = "", cause: String? = nil) {
        self.init(name, Details(message: message, advice: advice, cause: cause))
    }

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var name: Name?
        var details: Details?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["error", "parameters"]) {
            if member == 0 { name = try reader.read() } else { details = try reader.read() }
        }
        self.init(try members.required(name, "error"), details ?? Details())
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("error", name)
        writer.member("parameters", details)
        writer.endObject()
    }

    /// The fields of all errors. Each error uses those that its interface defines.
    public struct Details: Sendable, Equatable {
        /// What happened, in words for a person.
        public var message: String?
        /// What to do about it, in words for a person; nil if there is nothing to do but what the name says.
        public var advice: String?
        /// The error below this one: a stable word and its own number. It names no file, item or secret.
        public var cause: String?
        public var challenge: String?
        public var purposes: [String]?
        /// Nobody has to be asked, because a lease covers the request.
        public var leased: Bool?
        public var accounts: [String]?
        public var kind: String?
        public var code: Int64?
        /// How many wrong passwords the TPM still accepts for a bound vault.
        public var triesLeft: Int64?
        public var reason: String?
        public var parameter: String?
        public var method: String?
        public var interface: String?

        public init(
            message: String? = nil, advice: String = "", cause: String? = nil, challenge: String? = nil,
            purposes: [String]? = nil, accounts: [String]? = nil,
            kind: String? = nil, code: Int64? = nil, triesLeft: Int64? = nil, reason: String? = nil,
            parameter: String? = nil, method: String? = nil, interface: String? = nil
        ) {
            self.triesLeft = triesLeft
            self.message = message
            self.advice = advice.isEmpty ? nil : advice
            self.cause = cause
            self.challenge = challenge
            self.purposes = purposes
            self.accounts = accounts
            self.kind = kind
            self.code = code
            self.reason = reason
            self.parameter = parameter
            self.method = method
            self.interface = interface
        }
    }
}

extension Fault {
    /// The full name of an error. Each interface adds its own names.
    public struct Name: RawRepresentable, JSONValue, Hashable {
        public let rawValue: String

        /// - Parameter rawValue: the interface's name, a dot, the error's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        // org.varlink.service
        public static let interfaceNotFound = Name("org.varlink.service.InterfaceNotFound")
        public static let methodNotFound = Name("org.varlink.service.MethodNotFound")
        public static let methodNotImplemented = Name("org.varlink.service.MethodNotImplemented")
        public static let invalidParameter = Name("org.varlink.service.InvalidParameter")
        public static let permissionDenied = Name("org.varlink.service.PermissionDenied")
        public static let expectedMore = Name("org.varlink.service.ExpectedMore")
    }
}

extension Fault {
    /// Varlink's own error for a method that does not exist.
    /// - Parameter isServed: whether an interface of this name is served.
    public init(unknownMethod method: String, isServed: (_ interface: String) -> Bool) {
        if let dot = method.lastIndex(of: "."), !isServed(String(method[..<dot])) {
            self.init(.interfaceNotFound, Details(interface: Self.shortened(String(method[..<dot]))))
        } else {
            self.init(.methodNotFound, Details(method: Self.shortened(method)))
        }
    }

    /// Shortens a name to 200 Unicode scalars, because a name of two megabytes need not be repeated. One `Character`
    /// can have any number of them.
    public static func shortened(_ name: String) -> String { String(name.unicodeScalars.prefix(Varlink.shownName)) }
}

extension Fault {
    /// `InvalidParameter`, for a parameter that is missing or has another type.
    public init(parameter name: String) {
        self.init(
            .invalidParameter,
            Details(message: "“\(name)” is missing, or not what the interface says", parameter: name))
    }
}
