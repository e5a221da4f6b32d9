import JSON

extension ReuseRecord {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var boot: String?
        var terminal: Int32?
        var leader: Int32?
        var leaderStart: UInt64?
        var services: [ProofService]?
        var asked: Int64?
        var ends: Int64?
        var members = try reader.members()
        while let member = try reader.next(
            &members, of: ["asked", "boot", "ends", "leader", "leaderStart", "services", "terminal"])
        {
            switch member {
            case 0: asked = try reader.read()
            case 1: boot = try reader.read()
            case 2: ends = try reader.read()
            case 3: leader = try reader.read()
            case 4: leaderStart = try reader.read()
            case 5: services = try reader.read()
            default: terminal = try reader.read()
            }
        }
        self.boot = try members.required(boot, "boot")
        self.terminal = try members.required(terminal, "terminal")
        self.leader = try members.required(leader, "leader")
        self.leaderStart = try members.required(leaderStart, "leaderStart")
        self.services = Set(try members.required(services, "services"))
        self.asked = try members.required(asked, "asked")
        self.ends = try members.required(ends, "ends")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("asked", asked)
        writer.member("boot", boot)
        writer.member("ends", ends)
        writer.member("leader", leader)
        writer.member("leaderStart", leaderStart)
        writer.member("services", Array(services))
        writer.member("terminal", terminal)
        writer.endObject()
    }
}
