import BrokerProtocol
import JSON
import Platform
import Testing
import Varlink

@testable import Authenticator

/// What the authenticator's processes write for each other, member by member, in the order of the names.
@Suite struct StateFormatTests {
    private func text(_ value: some JSONWritable) -> String {
        String(decoding: JSONWriter.bytes(of: value), as: UTF8.self)
    }

    @Test func aLease() throws {
        let record = LeaseRecord(
            boot: "b", owner: "user:1000", vault: "v", leader: 7, leaderStart: 70,
            signatures: [.init(kind: "presence", point: "P", parameterHash: "H")], asked: 1000, ends: 61_000)
        let expected =
            #"{"asked":1000,"boot":"b","ends":61000,"leader":7,"leaderStart":70,"owner":"user:1000","#
            + #""signatures":[{"kind":"presence","parameterHash":"H","point":"P"}],"vault":"v"}"#
        #expect(text(record) == expected)
        #expect(try JSONReader.read(LeaseRecord.self, from: Array(expected.utf8)) == record)
    }

    @Test func anAnswerThatIsUsedAgain() throws {
        let session = TerminalSession(terminal: 0x8801, leader: ProcessIdentity(pid: 7, startTime: 70))
        let record = ReuseRecord(session: session, boot: "b", services: [.anyFactor], asked: 1000, ends: 61_000)
        let expected =
            #"{"asked":1000,"boot":"b","ends":61000,"leader":7,"leaderStart":70,"services":["coffer"],"#
            + #""terminal":34817}"#
        #expect(text(record) == expected)
        #expect(try JSONReader.read(ReuseRecord.self, from: Array(expected.utf8)) == record)
    }

    @Test func aPrompt() throws {
        let server = SharedPrompt.Server(ProcessIdentity(pid: 3, startTime: 4))
        let group = PromptGroup(pid: 1, startTime: 2, owner: "user:7", purposes: ["read"], services: ["coffer"])
        let outcome = SharedPrompt.Outcome(answer: .yes, items: ["b", "a"], taken: ["t": server], time: 5)
        let prompt = SharedPrompt(group: group, boot: "b", leader: server, outcome: outcome)
        let expected =
            #"{"boot":"b","group":{"owner":"user:7","pid":1,"purposes":["read"],"services":["coffer"],"startTime":2},"#
            + #""leader":{"pid":3,"startTime":4},"outcome":{"answer":{"yes":{}},"items":["a","b"],"#
            + #""taken":{"t":{"pid":3,"startTime":4}},"time":5}}"#
        #expect(text(prompt) == expected)
        #expect(try JSONReader.read(SharedPrompt.self, from: Array(expected.utf8)) == prompt)
        let fingers = PromptGroup(
            pid: 1, startTime: 2, owner: "user:7", purposes: ["read"], services: ["coffer-biometric"], fingers: "0a")
        let bound =
            #"{"fingers":"0a","owner":"user:7","pid":1,"purposes":["read"],"services":["coffer-biometric"],"#
            + #""startTime":2}"#
        #expect(text(fingers) == bound)
        #expect(try JSONReader.read(PromptGroup.self, from: Array(bound.utf8)) == fingers)
        let refused = text(SharedPrompt.Answer.refused(Fault(.authenticationFailed, "no"), reason: "password"))
        #expect(refused.hasPrefix(#"{"refused":{"_0":{"error":"#), "\(refused)")
        #expect(refused.hasSuffix(#","reason":"password"}}"#), "\(refused)")
    }

    @Test func failures() throws {
        let record = AttemptRecord(failures: 2, last: 3)
        #expect(text(record) == #"{"failures":2,"last":3}"#)
        #expect(try JSONReader.read(AttemptRecord.self, from: Array(#"{"last":3,"failures":2}"#.utf8)) == record)
    }

    @Test func answersThatWait() throws {
        var queue = GuessQueue(boot: "b")
        let server = SharedPrompt.Server(ProcessIdentity(pid: 3, startTime: 4))
        queue.waiting = [.init(server: server, pid: 1, startTime: 2, arrival: 5)]
        queue.guessers = [.init(pid: 6, startTime: 7, count: 8, last: 9)]
        let expected =
            #"{"boot":"b","guessers":[{"count":8,"last":9,"pid":6,"startTime":7}],"#
            + #""waiting":[{"arrival":5,"pid":1,"server":{"pid":3,"startTime":4},"startTime":2}]}"#
        #expect(text(queue) == expected)
        #expect(try JSONReader.read(GuessQueue.self, from: Array(expected.utf8)) == queue)
    }

    @Test func whatADesktopShows() {
        let order = NotificationOrder(
            Account(name: "ada", uid: 1, gid: 2), bus: "b", text: "Read it", seconds: 5)
        #expect(
            text(order)
                == #"{"body":"Read it","bus":"b","gid":2,"name":"ada","seconds":5,"#
                + #""summary":"Coffer asks for you","uid":1}"#)
    }
}
