import BrokerProtocol
import Foundation
import TestSupport
import Testing

/// What `coffer log` prints, for people and for programs.
@Suite struct LogTests {
    private static func record(_ number: Int64, program: String? = "ssh", resolved: Bool = false) -> Keychain.LogRecord
    {
        var record = Keychain.LogRecord(
            sequence: number, time: 1_700_000_000_123, event: "read", outcome: "done", resolved: resolved,
            require: ["presence"])
        record.uid = 1000
        record.pid = 42
        record.program = program
        record.controlGroup = "/user.slice"
        record.service = "db\u{1B}"
        record.account = "admin"
        return record
    }

    private static func page(_ records: [Keychain.LogRecord], more: Bool = false, problem: String? = nil)
        -> FakeServer.Step
    { .answer(Keychain.Log.Reply(records: records, more: more, problem: problem)) }

    @Test func aProgramGetsTabsAndAllPages() throws {
        let fixture = try FakeCoffer(broker: [
            "Log": [
                Self.page([Self.record(1)], more: true),
                Self.page([Self.record(2, program: "/bin/ssh", resolved: true)]),
            ]
        ])
        let result = try fixture.program.run("log")
        let line = "2023-11-14T22:13:20.123Z\tread\t\"db\\u{1b}\"/admin\tdone (presence)"
        #expect(
            result.text
                == "TIME\tEVENT\tITEM\tOUTCOME\tPROGRAM\n\(line)\tssh? (pid 42)\n\(line)\t/bin/ssh (pid 42)\n")
        let calls = try fixture.broker.calls("Log").map { try $0.parameters(Keychain.Log.self)?.after }
        #expect(calls == [0, 1])
    }

    /// Attacker 3 names a program as the rest of a line goes on. A prompt quotes it, too.
    @Test func aProgramsNameDoesNotPassForTheRestOfTheLine() throws {
        let forged = #"/tmp/good (pid 1), reason: "nightly""#
        let fixture = try FakeCoffer(broker: [
            "Log": [
                Self.page([
                    Self.record(1, program: forged, resolved: true), Self.record(2, program: "a, b"),
                    Self.record(3, program: "/" + String(repeating: "long", count: 100), resolved: true),
                ])
            ]
        ])
        let programs = try fixture.program.run("log").text.split(separator: "\n").dropFirst().map {
            String($0.split(separator: "\t").last ?? "")
        }
        #expect(
            programs == [
                #""/tmp/good (pid 1), reason: \"nightly\"" (pid 42)"#, #""a, b"? (pid 42)"#,
                "/\(String(repeating: "long", count: 100)) (pid 42)",
            ], "\(programs)")
    }

    /// Several members share a group's log.
    @Test func aGroupsLogNamesTheUser() throws {
        var (root, nobody) = (Self.record(1), Self.record(2))
        (root.uid, nobody.uid) = (0, nil)
        var unknown = Self.record(3)
        unknown.uid = 4_000_000_123
        let fixture = try FakeCoffer(broker: ["Log": [Self.page([root, nobody, unknown])]])
        let rows = try fixture.program.run("log", "--group", "ops").text.split(separator: "\n").map {
            $0.split(separator: "\t").map(String.init)
        }
        #expect(rows.map { $0.dropFirst(4).first } == ["USER", "root", "-", "uid 4000000123"])
        #expect(rows.allSatisfy { $0.count == 6 })
    }

    @Test func aPersonGetsColumns() throws {
        let fixture = try FakeCoffer(broker: ["Log": [Self.page([Self.record(1)])]])
        let lines = try fixture.program.run("log", output: .terminal, turns: []).screen.split(separator: "\r\n")
        #expect(lines.count == 2 && lines.first?.hasPrefix("TIME              EVENT") == true)
        #expect(lines.last?.contains("read") == true && lines.last?.contains("\u{1B}") == false)
    }

    @Test func columnsAreAsWideAsWhatTheyShow() throws {
        var long = Self.record(2)
        (long.event, long.outcome, long.require) = ("recovery", "cancelled", ["presence", "passcode"])
        let fixture = try FakeCoffer(broker: ["Log": [Self.page([Self.record(1), long])]])
        let lines = try fixture.program.run("log", output: .terminal, turns: []).screen.split(separator: "\r\n")
        try #require(lines.count == 3)
        func place(_ text: String, _ line: Int) -> Int? {
            lines[line].firstRange(of: text).map {
                lines[line].distance(from: lines[line].startIndex, to: $0.lowerBound)
            }
        }
        for (column, text, other) in [
            ("ITEM", "\"db", "\"db"), ("OUTCOME", "done", "cancelled"), ("PROGRAM", "ssh", "ssh"),
        ] {
            #expect(place(text, 1) == place(column, 0) && place(other, 2) == place(column, 0), "\(lines)")
        }
    }

    @Test func jsonHasOneObjectALine() throws {
        struct Line: Decodable {
            var sequence: Int64
            var service: String
            var kind: String?
            var resolved: Bool
            var controlGroup: String
        }
        var key = Self.record(2)
        key.kind = .key
        let fixture = try FakeCoffer(broker: ["Log": [Self.page([Self.record(1), key])]])
        let result = try fixture.program.run("log", "--json", "--since", "2023-01-31")
        let lines = try result.text.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.map(\.sequence) == [1, 2] && lines[0].service == "db\u{1B}" && !lines[0].resolved)
        // Two items of one name can differ by it alone.
        #expect(lines.map(\.kind) == [nil, "key"])
        #expect(try fixture.broker.calls("Log").first?.parameters(Keychain.Log.self)?.since ?? 0 > 1_600_000_000_000)
    }

    /// An update starts the broker again. No record is missing or there twice after it.
    @Test func followingGoesOnWhenTheBrokerIsBack() throws {
        let fixture = try FakeCoffer(broker: [
            "Log": [
                Self.page([Self.record(1)]), .close, .close, Self.page([Self.record(2)]),
                Self.page([], problem: "records are missing"),
            ]
        ])
        let result = try fixture.program.run("log", "--follow", "--json")
        #expect(result.text.split(separator: "\n").count == 2 && result.status == 7, "\(result)")
        #expect(result.errors.split(separator: "\n").count { $0.hasSuffix("; waiting for it") } == 1, "\(result)")
        let calls = try fixture.broker.calls("Log").map { try $0.parameters(Keychain.Log.self)?.after }
        #expect(calls == [0, 1, 1, 1, 2])
    }

    @Test func followingDoesNotWaitForABrokerThatWasNeverThere() throws {
        let fixture = try FakeCoffer(broker: ["Log": [.close]])
        let result = try fixture.program.run("log", "--follow")
        #expect(result.status == 9 && !result.errors.contains("waiting for it"), "\(result)")
    }

    @Test func nothingSinceThenIsNotNothingAtAll() throws {
        let fixture = try FakeCoffer(broker: ["Log": [Self.page([])]])
        #expect(try fixture.program.run("log", "--since", "0s").errors == "Nothing was logged since then.\n")
        #expect(try fixture.program.run("log").errors == "Nothing is logged yet.\n")
    }

    @Test func aDamagedLogIsExitSeven() throws {
        let bad = Keychain.VerifyLog.Reply(whole: false, problem: "records are missing", records: 3, first: 1, last: 3)
        let good = Keychain.VerifyLog.Reply(whole: true, problem: nil, records: 1, first: 1, last: 1)
        let fixture = try FakeCoffer(broker: [
            "VerifyLog": [.answer(bad), .answer(good)], "Log": [Self.page([], problem: "records are missing")],
        ])
        let damaged = try fixture.program.run("log", "--verify")
        #expect(damaged.status == 7 && damaged.text.isEmpty)
        #expect(damaged.errors.contains("Have root look at the former log"), "\(damaged)")
        let whole = try fixture.program.run("log", "--verify")
        #expect(whole.status == 0 && whole.text == "Whole: 1 record, none missing or changed\n")
        #expect(try fixture.program.run("log").status == 7)
        #expect(try fixture.program.run("log", "--verify", "--follow").status == 64)
        #expect(try fixture.program.run("log", "--since", "tomorrow").status == 64)
    }
}
