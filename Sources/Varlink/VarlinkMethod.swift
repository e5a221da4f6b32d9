import JSON

/// One method of an interface. The value is the call's parameters.
public protocol VarlinkMethod: JSONValue {
    associatedtype Reply: JSONValue
    /// The interface's name, a dot, the method's name.
    static var name: String { get }
}

/// The parameters or the reply of a method that has none.
public struct Nothing: JSONValue, Equatable {
    public init() {}

    public init(from reader: inout JSONReader) throws(JSONFailure) { try reader.emptyObject() }

    public func write(to writer: inout JSONWriter) { writer.emptyObject() }
}

/// A call as it is sent.
public struct VarlinkCall<Method: VarlinkMethod>: JSONValue {
    public var method: String
    public var parameters: Method
    /// Whether the caller accepts several replies.
    public var more: Bool?

    public init(_ parameters: Method, more: Bool? = nil) {
        self.method = Method.name
        self.parameters = parameters
        self.more = more
    }

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var method: String?
        var more: Bool?
        var parameters: Method?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["method", "more", "parameters"]) {
            switch member {
            case 0: method = try reader.read()
            case 1: more = try reader.read()
            default: parameters = try reader.read()
            }
        }
        self.method = try members.required(method, "method")
        self.parameters = try members.required(parameters, "parameters")
        self.more = more
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("method", method)
        writer.member("more", more)
        writer.member("parameters", parameters)
        writer.endObject()
    }
}

/// A successful reply as it is sent.
public struct VarlinkReply<Reply: JSONWritable>: JSONWritable {
    public var parameters: Reply
    /// Whether another reply to the same call follows.
    public var continues: Bool?

    public init(_ parameters: Reply, continues: Bool? = nil) {
        self.parameters = parameters
        self.continues = continues
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("continues", continues)
        writer.member("parameters", parameters)
        writer.endObject()
    }
}

extension VarlinkReply: JSONReadable where Reply: JSONReadable {
    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var continues: Bool?
        var parameters: Reply?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["continues", "parameters"]) {
            if member == 0 { continues = try reader.read() } else { parameters = try reader.read() }
        }
        self.init(try members.required(parameters, "parameters"), continues: continues)
    }
}
