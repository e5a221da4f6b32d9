import JSON

/// The answer to a call.
public enum VarlinkAnswer<Reply: JSONValue>: JSONReadable {
    case reply(Reply, continues: Bool)
    /// An error of one of the interfaces.
    case fault(Fault)

    /// A message that names an error is that error, even if it also has a reply.
    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var error: Fault.Name?
        var continues: Attempt<Bool>?
        var reply: Attempt<Reply>?
        var parameters: JSONMark?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["continues", "error", "parameters"]) {
            switch member {
            case 0: continues = try Attempt(&reader)
            case 1: error = try reader.read()
            default:
                parameters = reader.mark()
                if error == nil { reply = try Attempt(&reader) } else { try reader.skipValue() }
            }
        }
        if let error {
            self = .fault(Fault(error, try Self.details(at: parameters, &reader)))
            return
        }
        self = .reply(
            try members.required(reply?.get(), "parameters"), continues: try continues?.get() ?? false)
    }

    private static func details(
        at place: JSONMark?, _ reader: inout JSONReader
    ) throws(JSONFailure) -> Fault.Details {
        guard let place else { return Fault.Details() }
        let end = reader.mark()
        reader.go(to: place)
        defer { reader.go(to: end) }
        return try reader.read() ?? Fault.Details()
    }
}

/// A value that need not fit, because what comes after it may say that it means something else.
private enum Attempt<Value: JSONReadable> {
    case value(Value?)
    case failed(JSONFailure)

    /// - Throws: `malformed`.
    init(_ reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.mark()
        do throws(JSONFailure) { self = .value(try reader.read()) } catch {
            guard error.malformation == nil else { throw error }
            reader.go(to: start)
            try reader.skipValue()
            self = .failed(error)
        }
    }

    func get() throws(JSONFailure) -> Value? {
        switch self {
        case .value(let value): return value
        case .failed(let failure): throw failure
        }
    }
}
