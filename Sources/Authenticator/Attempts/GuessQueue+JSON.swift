import JSON

extension GuessQueue {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var boot: String?
        var guessers: [Guesser]?
        var waiting: [Waiting]?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["boot", "guessers", "waiting"]) {
            switch member {
            case 0: boot = try reader.read()
            case 1: guessers = try reader.read()
            default: waiting = try reader.read()
            }
        }
        self.boot = try members.required(boot, "boot")
        self.guessers = try members.required(guessers, "guessers")
        self.waiting = try members.required(waiting, "waiting")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("boot", boot)
        writer.member("guessers", guessers)
        writer.member("waiting", waiting)
        writer.endObject()
    }
}

extension GuessQueue.Waiting {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var arrival: Int64?
        var pid: Int32?
        var server: SharedPrompt.Server?
        var startTime: UInt64?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["arrival", "pid", "server", "startTime"]) {
            switch member {
            case 0: arrival = try reader.read()
            case 1: pid = try reader.read()
            case 2: server = try reader.read()
            default: startTime = try reader.read()
            }
        }
        self.arrival = try members.required(arrival, "arrival")
        self.pid = try members.required(pid, "pid")
        self.server = try members.required(server, "server")
        self.startTime = try members.required(startTime, "startTime")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("arrival", arrival)
        writer.member("pid", pid)
        writer.member("server", server)
        writer.member("startTime", startTime)
        writer.endObject()
    }
}

extension GuessQueue.Guesser {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var count: Int?
        var last: Int64?
        var pid: Int32?
        var startTime: UInt64?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["count", "last", "pid", "startTime"]) {
            switch member {
            case 0: count = try reader.read()
            case 1: last = try reader.read()
            case 2: pid = try reader.read()
            default: startTime = try reader.read()
            }
        }
        self.count = try members.required(count, "count")
        self.last = try members.required(last, "last")
        self.pid = try members.required(pid, "pid")
        self.startTime = try members.required(startTime, "startTime")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("count", count)
        writer.member("last", last)
        writer.member("pid", pid)
        writer.member("startTime", startTime)
        writer.endObject()
    }
}
