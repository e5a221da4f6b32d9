import JSON
import Varlink

extension SharedPrompt {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var group: PromptGroup?
        var boot: String?
        var leader: Server?
        var outcome: Outcome?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["boot", "group", "leader", "outcome"]) {
            switch member {
            case 0: boot = try reader.read()
            case 1: group = try reader.read()
            case 2: leader = try reader.read()
            default: outcome = try reader.read()
            }
        }
        self.group = try members.required(group, "group")
        self.boot = try members.required(boot, "boot")
        self.leader = try members.required(leader, "leader")
        self.outcome = outcome
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("boot", boot)
        writer.member("group", group)
        writer.member("leader", leader)
        writer.member("outcome", outcome)
        writer.endObject()
    }
}

extension SharedPrompt.Server {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var pid: Int32?
        var startTime: UInt64?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["pid", "startTime"]) {
            if member == 0 { pid = try reader.read() } else { startTime = try reader.read() }
        }
        self.pid = try members.required(pid, "pid")
        self.startTime = try members.required(startTime, "startTime")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("pid", pid)
        writer.member("startTime", startTime)
        writer.endObject()
    }
}

extension SharedPrompt.Outcome {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var answer: SharedPrompt.Answer?
        var items: [String]?
        var taken: [String: SharedPrompt.Server]?
        var time: Int64?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["answer", "items", "taken", "time"]) {
            switch member {
            case 0: answer = try reader.read()
            case 1: items = try reader.read()
            case 2: taken = try reader.read()
            default: time = try reader.read()
            }
        }
        self.answer = try members.required(answer, "answer")
        self.items = Set(try members.required(items, "items"))
        self.taken = try members.required(taken, "taken")
        self.time = try members.required(time, "time")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("answer", answer)
        writer.member("items", items.sorted())
        writer.member("taken", taken)
        writer.member("time", time)
        writer.endObject()
    }
}

extension SharedPrompt.Answer {
    /// The words that came with a refusal.
    private struct Refusal: JSONValue {
        let fault: Fault
        let reason: String

        init(fault: Fault, reason: String) {
            self.fault = fault
            self.reason = reason
        }

        init(from reader: inout JSONReader) throws(JSONFailure) {
            var fault: Fault?
            var reason: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: ["_0", "reason"]) {
                if member == 0 { fault = try reader.read() } else { reason = try reader.read() }
            }
            self.fault = try members.required(fault, "_0")
            self.reason = try members.required(reason, "reason")
        }

        func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("_0", fault)
            writer.member("reason", reason)
            writer.endObject()
        }
    }

    init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var cancelled: Nothing?
        var refused: Refusal?
        var timedOut: Nothing?
        var yes: Nothing?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["cancelled", "refused", "timedOut", "yes"]) {
            switch member {
            case 0: cancelled = try reader.read()
            case 1: refused = try reader.read()
            case 2: timedOut = try reader.read()
            default: yes = try reader.read()
            }
        }
        switch (yes, refused, cancelled, timedOut) {
        case (.some, nil, nil, nil): self = .yes
        case (nil, .some(let refusal), nil, nil): self = .refused(refusal.fault, reason: refusal.reason)
        case (nil, nil, .some, nil): self = .cancelled
        case (nil, nil, nil, .some): self = .timedOut
        default: throw .mismatch(at: start)
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch self {
        case .yes: writer.member("yes", Nothing())
        case .refused(let fault, let reason): writer.member("refused", Refusal(fault: fault, reason: reason))
        case .cancelled: writer.member("cancelled", Nothing())
        case .timedOut: writer.member("timedOut", Nothing())
        }
        writer.endObject()
    }
}

extension PromptGroup {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var pid: Int32?
        var startTime: UInt64?
        var owner: String?
        var purposes: [String]?
        var services: [String]?
        var fingers: String?
        var members = try reader.members()
        let names = ["fingers", "owner", "pid", "purposes", "services", "startTime"]
        while let member = try reader.next(&members, of: names) {
            switch member {
            case 0: fingers = try reader.read()
            case 1: owner = try reader.read()
            case 2: pid = try reader.read()
            case 3: purposes = try reader.read()
            case 4: services = try reader.read()
            default: startTime = try reader.read()
            }
        }
        self.pid = try members.required(pid, "pid")
        self.startTime = try members.required(startTime, "startTime")
        self.owner = try members.required(owner, "owner")
        self.purposes = try members.required(purposes, "purposes")
        self.services = try members.required(services, "services")
        self.fingers = fingers
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("fingers", fingers)
        writer.member("owner", owner)
        writer.member("pid", pid)
        writer.member("purposes", purposes)
        writer.member("services", services)
        writer.member("startTime", startTime)
        writer.endObject()
    }
}
