import JSON

extension Fault.Details: JSONValue {
    private static let names = [
        "accounts", "advice", "cause", "challenge", "code", "interface", "kind", "leased", "message", "method",
        "parameter", "purposes", "reason", "triesLeft",
    ]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        self.init()
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.names) {
            switch member {
            case 0: accounts = try reader.read()
            case 1: advice = try reader.read()
            case 2: cause = try reader.read()
            case 3: challenge = try reader.read()
            case 4: code = try reader.read()
            case 5: interface = try reader.read()
            case 6: kind = try reader.read()
            case 7: leased = try reader.read()
            case 8: message = try reader.read()
            case 9: method = try reader.read()
            case 10: parameter = try reader.read()
            case 11: purposes = try reader.read()
            case 12: reason = try reader.read()
            default: triesLeft = try reader.read()
            }
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("accounts", accounts)
        writer.member("advice", advice)
        writer.member("cause", cause)
        writer.member("challenge", challenge)
        writer.member("code", code)
        writer.member("interface", interface)
        writer.member("kind", kind)
        writer.member("leased", leased)
        writer.member("message", message)
        writer.member("method", method)
        writer.member("parameter", parameter)
        writer.member("purposes", purposes)
        writer.member("reason", reason)
        writer.member("triesLeft", triesLeft)
        writer.endObject()
    }
}
