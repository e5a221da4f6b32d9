import JSON

/// A line to `cofferd helper age`. Bytes go there in parts, something is done with all of them, and bytes come back in parts.
public struct AgeRequest: Codable, Sendable {
    /// The next part of the input, in Base64.
    public var add: String?
    /// Encrypt the input.
    public var seal: Lock?
    /// Say how the input is opened.
    public var inspect: Bool?
    /// Open the input.
    public var open: Key?
    /// Give out the part of the output that begins at this byte.
    public var take: Int?

    /// Who can decrypt the output: recipients, or those who know a passphrase.
    public struct Lock: Codable, Sendable {
        public var recipients: [String]
        public var passphrase: String?
        public var armored: Bool

        public init(recipients: [String], passphrase: String?, armored: Bool) {
            self.recipients = recipients
            self.passphrase = passphrase
            self.armored = armored
        }
    }

    /// With what the input is opened: the text of an identity file, or a passphrase.
    public struct Key: Codable, Sendable {
        public var identities: String?
        public var passphrase: String?

        public init(identities: String? = nil, passphrase: String? = nil) {
            self.identities = identities
            self.passphrase = passphrase
        }
    }

    public init(
        add: String? = nil, seal: Lock? = nil, inspect: Bool? = nil, open: Key? = nil, take: Int? = nil
    ) {
        self.add = add
        self.seal = seal
        self.inspect = inspect
        self.open = open
        self.take = take
    }

    /// The bytes of one part.
    public static let part = 64 << 10
    /// The longest line to the helper, in bytes.
    public static let longestLine = 1 << 20
    /// The most bytes of input: an export of 64 MiB, encrypted and armored.
    public static let mostInput = 96 << 20
}

/// The answer of `cofferd helper age`.
public struct AgeAnswer: Codable, Sendable {
    /// Why nothing was done.
    public var problem: String?
    /// For `.noMatch` of a passphrase: it may be typed again.
    public var isWrongPassphrase: Bool?
    public var takesPassphrase: Bool?
    /// The bytes of the output.
    public var count: Int?
    /// A part of the output, in Base64.
    public var part: String?

    public init() {}
}

extension AgeRequest: JSONReadable {
    private static let jsonNames = ["add", "inspect", "open", "seal", "take"]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var add: String?
        var seal: Lock?
        var inspect: Bool?
        var open: Key?
        var take: Int?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: add = try reader.read()
            case 1: inspect = try reader.read()
            case 2: open = try reader.read()
            case 3: seal = try reader.read()
            default: take = try reader.read()
            }
        }
        self.init(
            add: add, seal: seal, inspect: inspect, open: open, take: take)
    }
}

extension AgeRequest.Lock: JSONReadable {
    private static let jsonNames = ["armored", "passphrase", "recipients"]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var recipients: [String]?
        var passphrase: String?
        var armored: Bool?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: armored = try reader.read()
            case 1: passphrase = try reader.read()
            default: recipients = try reader.read()
            }
        }
        self.init(
            recipients: try members.required(recipients, "recipients"), passphrase: passphrase,
            armored: try members.required(armored, "armored"))
    }
}

extension AgeRequest.Key: JSONReadable {
    private static let jsonNames = ["identities", "passphrase"]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var identities: String?
        var passphrase: String?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: identities = try reader.read()
            default: passphrase = try reader.read()
            }
        }
        self.init(
            identities: identities, passphrase: passphrase)
    }
}

extension AgeAnswer: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("count", count)
        writer.member("isWrongPassphrase", isWrongPassphrase)
        writer.member("part", part)
        writer.member("problem", problem)
        writer.member("takesPassphrase", takesPassphrase)
        writer.endObject()
    }
}
