import JSON

/// The messages between `coffer sync restore` and `cofferd helper paper` (docs/architecture.md, "The helper").
///
/// `coffer` first sends the code on paper and gets a ``Receipt``. After a malformed code it may send another one. Then each
/// line is a ``Request``: the files of a circle, and the question what of it the code opens. After that it asks for
/// values, until the input ends.
public enum PaperStore {
    /// A line to the helper. Exactly one member is there.
    public struct Request: Codable, Sendable {
        /// The id of the circle whose files follow, in hexadecimal. Those of another one are forgotten.
        public var circle: String?
        /// A head of the circle, in Base64.
        public var head: String?
        /// A segment of the circle, in Base64.
        public var segment: String?
        /// All files of the circle were sent.
        public var open: Bool?
        /// The value of a field: the item's place in the list, and that of the field among its fields.
        public var value: [Int]?

        public init(
            circle: String? = nil, head: String? = nil, segment: String? = nil, open: Bool? = nil,
            value: [Int]? = nil
        ) {
            self.circle = circle
            self.head = head
            self.segment = segment
            self.open = open
            self.value = value
        }
    }

    /// The answer to a code, and to each file.
    public struct Receipt: Codable, Sendable {
        public var problem: OldVault.Problem?

        public init(_ problem: OldVault.Problem? = nil) { self.problem = problem }
    }

    /// What the code opens of the circle.
    public struct Opening: Codable, Sendable {
        public var machines: [Machine]
        public var items: [OldVault.Item]
        public var lost: [Lost]
        /// How many parts machines have changed at the same time.
        public var contested: Int
        /// The folder lacks something, or has something that does not open.
        public var incomplete: Bool
        /// Why there is nothing. `noCode`: the code was removed. `wrongCode`: it is not this circle's.
        public var problem: OldVault.Problem?

        public init(
            machines: [Machine] = [], items: [OldVault.Item] = [], lost: [Lost] = [], contested: Int = 0,
            incomplete: Bool = false, problem: OldVault.Problem? = nil
        ) {
            self.machines = machines
            self.items = items
            self.lost = lost
            self.contested = contested
            self.incomplete = incomplete
            self.problem = problem
        }
    }

    public struct Machine: Codable, Sendable {
        /// Its id, in hexadecimal.
        public var device: String
        public var name: String?
        /// False for one that was removed or has left.
        public var member: Bool
        /// The time of the newest that it has signed, by its own clock, in milliseconds since 1970-01-01 UTC.
        public var newest: UInt64?

        public init(device: String, name: String?, member: Bool, newest: UInt64?) {
            self.device = device
            self.name = name
            self.member = member
            self.newest = newest
        }
    }

    /// A field that the code does not open.
    public struct Lost: Codable, Sendable {
        public var service: String
        public var account: String
        /// nil for a generic item.
        public var kind: String?
        public var field: String
        public var reason: String

        public init(service: String, account: String, kind: String?, field: String, reason: String) {
            self.service = service
            self.account = account
            self.kind = kind
            self.field = field
            self.reason = reason
        }
    }

    /// The longest line to the helper, in bytes: a segment of 1 MiB.
    public static let longestLine = 1_500_000
    /// The files of one circle, in bytes. A vault keeps as much.
    public static let mostBytes = 192 << 20
}

extension PaperStore.Request: JSONReadable {
    private static let jsonNames = ["circle", "head", "open", "segment", "value"]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var circle: String?
        var head: String?
        var segment: String?
        var open: Bool?
        var value: [Int]?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: circle = try reader.read()
            case 1: head = try reader.read()
            case 2: open = try reader.read()
            case 3: segment = try reader.read()
            default: value = try reader.read()
            }
        }
        self.init(
            circle: circle, head: head, segment: segment, open: open, value: value)
    }
}

extension PaperStore.Receipt: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("problem", problem)
        writer.endObject()
    }
}

extension PaperStore.Opening: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("contested", contested)
        writer.member("incomplete", incomplete)
        writer.member("items", items)
        writer.member("lost", lost)
        writer.member("machines", machines)
        writer.member("problem", problem)
        writer.endObject()
    }
}

extension PaperStore.Machine: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("device", device)
        writer.member("member", member)
        writer.member("name", name)
        writer.member("newest", newest)
        writer.endObject()
    }
}

extension PaperStore.Lost: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("account", account)
        writer.member("field", field)
        writer.member("kind", kind)
        writer.member("reason", reason)
        writer.member("service", service)
        writer.endObject()
    }
}
