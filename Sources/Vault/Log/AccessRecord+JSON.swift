import Item
import JSON

extension AccessRecord: JSONReadable, JSONWritable {
    private static let jsonNames = ["detail", "event", "missed", "outcome", "program", "reason", "subject", "time"]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var event: String?
        var outcome: String?
        var program: Program?
        var subject: Subject?
        var reason: String?
        var detail: String?
        var time: UInt64?
        var missed: Int?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: detail = try reader.read()
            case 1: event = try reader.read()
            case 2: missed = try reader.read()
            case 3: outcome = try reader.read()
            case 4: program = try reader.read()
            case 5: reason = try reader.read()
            case 6: subject = try reader.read()
            default: time = try reader.read()
            }
        }
        guard let known = Event(rawValue: try members.required(event, "event")) else { throw .mismatch(at: start) }
        self.init(
            known, outcome: try members.required(outcome, "outcome"), by: program, of: subject, reason: reason,
            detail: detail)
        self.time = try members.required(time, "time")
        self.missed = missed
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("detail", detail)
        writer.member("event", event.rawValue)
        writer.member("missed", missed)
        writer.member("outcome", outcome)
        writer.member("program", program)
        writer.member("reason", reason)
        writer.member("subject", subject)
        writer.member("time", time)
        writer.endObject()
    }
}

extension AccessRecord.Program: JSONReadable, JSONWritable {
    /// Earlier records have `isVerified` for `isResolved`.
    private static let jsonNames = ["controlGroup", "isResolved", "isVerified", "name", "pid", "uid"]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var controlGroup: String?
        var isResolved: Bool?
        var isVerified: Bool?
        var name: String?
        var pid: Int32?
        var uid: UInt32?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: controlGroup = try reader.read()
            case 1: isResolved = try reader.read()
            case 2: isVerified = try reader.read()
            case 3: name = try reader.read()
            case 4: pid = try reader.read()
            default: uid = try reader.read()
            }
        }
        self.init(
            uid: try members.required(uid, "uid"), pid: try members.required(pid, "pid"), name: name,
            isResolved: try members.required(isResolved ?? isVerified, "isResolved"), controlGroup: controlGroup)
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("controlGroup", controlGroup)
        writer.member("isResolved", isResolved)
        writer.member("name", name)
        writer.member("pid", pid)
        writer.member("uid", uid)
        writer.endObject()
    }
}

extension AccessRecord.Subject: JSONReadable, JSONWritable {
    private static let jsonNames = ["account", "item", "kind", "require", "service"]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var account: String?
        var item: String?
        var kind: String?
        var require: [String]?
        var service: String?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: account = try reader.read()
            case 1: item = try reader.read()
            case 2: kind = try reader.read()
            case 3: require = try reader.read()
            default: service = try reader.read()
            }
        }
        let known = kind.flatMap(ItemKind.init)
        guard kind == nil || known != nil else { throw .mismatch(at: start) }
        self.init(
            item: item, service: try members.required(service, "service"), account: account, kind: known,
            require: try members.required(require, "require"))
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("account", account)
        writer.member("item", item)
        writer.member("kind", kind?.rawValue)
        writer.member("require", require)
        writer.member("service", service)
        writer.endObject()
    }
}
