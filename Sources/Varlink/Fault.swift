import FoundationEssentials

/// An error as it is sent: a name from one of the interfaces, and its parameters.
public struct Fault: Error, Codable, Sendable, Equatable {
    public var name: Name
    public var details: Details

    public init(_ name: Name, _ details: Details = Details()) {
        self.name = name
        self.details = details
    }

    public init(_ name: Name, _ message: String) {
        self.init(name, Details(message: message))
    }

    enum CodingKeys: String, CodingKey {
        case name = "error"
        case details = "parameters"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(Name.self, forKey: .name)
        details = try container.decodeIfPresent(Details.self, forKey: .details) ?? Details()
    }

    /// The fields of all errors. Each error uses those that its interface defines.
    public struct Details: Codable, Sendable, Equatable {
        /// What happened and what to do, in words for a person.
        public var message: String?
        public var challenge: String?
        public var purposes: [String]?
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
            message: String? = nil, challenge: String? = nil, purposes: [String]? = nil, accounts: [String]? = nil,
            kind: String? = nil, code: Int64? = nil, triesLeft: Int64? = nil, reason: String? = nil,
            parameter: String? = nil, method: String? = nil, interface: String? = nil
        ) {
            self.triesLeft = triesLeft
            self.message = message
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
