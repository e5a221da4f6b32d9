import JSON

extension LeaseRecord {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var boot: String?
        var owner: String?
        var vault: String?
        var leader: Int32?
        var leaderStart: UInt64?
        var signatures: [Signature]?
        var asked: Int64?
        var ends: Int64?
        var members = try reader.members()
        while let member = try reader.next(
            &members, of: ["asked", "boot", "ends", "leader", "leaderStart", "owner", "signatures", "vault"])
        {
            switch member {
            case 0: asked = try reader.read()
            case 1: boot = try reader.read()
            case 2: ends = try reader.read()
            case 3: leader = try reader.read()
            case 4: leaderStart = try reader.read()
            case 5: owner = try reader.read()
            case 6: signatures = try reader.read()
            default: vault = try reader.read()
            }
        }
        self.boot = try members.required(boot, "boot")
        self.owner = try members.required(owner, "owner")
        self.vault = try members.required(vault, "vault")
        self.leader = try members.required(leader, "leader")
        self.leaderStart = try members.required(leaderStart, "leaderStart")
        self.signatures = try members.required(signatures, "signatures")
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
        writer.member("owner", owner)
        writer.member("signatures", signatures)
        writer.member("vault", vault)
        writer.endObject()
    }
}

extension LeaseRecord.Signature {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var kind: String?
        var point: String?
        var parameterHash: String?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["kind", "parameterHash", "point"]) {
            switch member {
            case 0: kind = try reader.read()
            case 1: parameterHash = try reader.read()
            default: point = try reader.read()
            }
        }
        self.kind = try members.required(kind, "kind")
        self.point = try members.required(point, "point")
        self.parameterHash = try members.required(parameterHash, "parameterHash")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", kind)
        writer.member("parameterHash", parameterHash)
        writer.member("point", point)
        writer.endObject()
    }
}
