import JSON

/// How a record is written. Each read writes one, and so without an encoder. Old records are read by Foundation's
/// decoder.
extension AccessRecord: JSONWritable {
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

extension AccessRecord.Program: JSONWritable {
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

extension AccessRecord.Subject: JSONWritable {
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
