import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing
import Varlink

@testable import coffer_cli

/// What list, search, show, status and exists print, for people and for programs.
@Suite struct ListingTests {
    private static let items = [
        FakeCoffer.item("db", "admin", require: [.userPresence], modified: 1_700_000_000_123),
        FakeCoffer.item("github", "\u{1B}]0;evil\u{7}\tx\ny\\z\u{202E}"),
    ]

    /// One item a reply, as the broker gives them.
    private static var list: FakeServer.Step {
        .replies(
            items.enumerated().map { index, item in
                FakeServer.encode(VarlinkReply(Keychain.ItemsReply(items: [item]), continues: index < items.count - 1))
            })
    }

    @Test func aProgramGetsTabs() throws {
        let fixture = try FakeCoffer(broker: ["List": [Self.list]])
        let result = try fixture.program.run("list")
        #expect(
            result.text == """
                SERVICE\tACCOUNT\tACCESS\tREQUIRES\tCHANGED
                db\tadmin\twhen-unlocked\tpresence\t2023-11-14T22:13:20.123Z
                github\t\\u{1b}]0;evil\\u{7}\\tx\\ny\\\\z\\u{202e}\twhen-unlocked\t-\t2023-11-14T22:13:20.000Z

                """)
    }

    @Test func aPersonGetsColumns() throws {
        let fixture = try FakeCoffer(broker: ["List": [Self.list]])
        let result = try fixture.program.run("list", output: .terminal, turns: [])
        let lines = result.screen.split(separator: "\r\n")
        #expect(lines.first == "SERVICE  ACCOUNT                              ACCESS         REQUIRES  CHANGED")
        #expect(lines.count == 3)
        #expect(!result.screen.contains("\u{1B}"))
        #expect(lines.dropFirst().allSatisfy { $0.hasSuffix(" years ago") })
    }

    @Test func jsonHasNamesAsTheyAre() throws {
        struct Record: Decodable {
            var service: String
            var account: String
            var modified: String
        }
        let fixture = try FakeCoffer(broker: ["List": [Self.list]])
        let records = try JSONDecoder().decode(
            [Record].self, from: Data(try fixture.program.run("list", "--json").output))
        #expect(records.map(\.account) == Self.items.map(\.account))
        #expect(records[0].modified == "2023-11-14T22:13:20.123Z")
    }

    @Test func getAsJSONHasTheValueTwice() throws {
        struct Record: Decodable {
            var value: String?
            var valueBase64: String
        }
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value([0xFF]), FakeCoffer.value(Array("ok".utf8))]])
        let binary = try JSONDecoder().decode(
            Record.self, from: Data(try fixture.program.run("get", "github", "--json").output))
        #expect(binary.value == nil && binary.valueBase64 == "/w==")
        let text = try JSONDecoder().decode(
            Record.self, from: Data(try fixture.program.run("get", "github", "--json").output))
        #expect(text.value == "ok")
    }

    @Test func existsAnswersByItsStatus() throws {
        let fixture = try FakeCoffer(broker: [
            "Exists": [.answer(Keychain.Exists.Reply(exists: true)), .answer(Keychain.Exists.Reply(exists: false))]
        ])
        let there = try fixture.program.run("exists", "github", "me")
        let absent = try fixture.program.run("exists", "github", "me")
        #expect(there.status == 0 && absent.status == 3)
        #expect(there.output.isEmpty && there.errors.isEmpty && absent.output.isEmpty && absent.errors.isEmpty)
    }

    @Test func statusSpeaksToPeople() throws {
        let fixture = try FakeCoffer(broker: [
            "Status": [
                .answer(
                    Keychain.Status.Reply(
                        vault: .init(state: .none), sealer: .init(kind: "tpm", manufacturer: "IBM", model: "SW  TPM"),
                        version: "0.1.0",
                        sandbox: true, locks: ["screen", "sleep", "15 min idle"],
                        warnings: ["a sandbox: it guards nothing"]))
            ]
        ])
        #expect(
            try fixture.program.run("status").text == """
                Vault: none yet; the first `coffer set` makes one
                Sealed by: TPM 2.0 (IBM, SW  TPM)
                Locks: screen, sleep, 15 min idle
                Broker: cofferd 0.1.0
                Warning: a sandbox: it guards nothing

                """)
    }

    @Test func removingAsksOnATerminalOnly() throws {
        let script: [String: [FakeServer.Step]] = [
            "Show": [.answer(Keychain.ItemReply(item: FakeCoffer.item()))],
            "Delete": [.answer(Keychain.ItemReply(item: FakeCoffer.item()))],
        ]
        let kept = try FakeCoffer(broker: script)
        let no = try kept.program.run(
            "rm", "github", "me", input: .terminal, turns: [.init(wait: "[y/N] ", type: "\r")])
        #expect(no.status == 1)
        #expect(kept.broker.calls("Delete").isEmpty)
        let removed = try FakeCoffer(broker: script)
        let yes = try removed.program.run(
            "rm", "github", "me", input: .terminal, turns: [.init(wait: "[y/N] ", type: "y\r")])
        #expect(yes.status == 0)
        #expect(yes.errors == "Removed github/me\n")
        let forced = try FakeCoffer(broker: script)
        #expect(try forced.program.run("rm", "-f", "github", "me", input: .terminal, turns: []).status == 0)
        let piped = try FakeCoffer(broker: script)
        let refused = try piped.program.run("rm", "github", "me")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("to remove it without confirmation, use -f"))
        #expect(piped.broker.calls("Delete").isEmpty)
        let json = try piped.program.run("rm", "-f", "github", "me", "--json")
        #expect(json.status == 0 && json.text.contains("\"removed\" : {") && json.errors.isEmpty)
        #expect(piped.broker.calls("Delete").count == 1)
        let left = try FakeCoffer(broker: script)
        let gone = try left.program.run(
            "rm", "github", "me", input: .terminal, turns: [.init(wait: "[y/N] ", type: "\u{3}")])
        #expect(gone.status == 128 + SIGINT)
        #expect(left.broker.calls("Delete").isEmpty)
    }

    /// Attacker 4: a program stores a secret whose name looks like another one's.
    @Test func namesThatDifferLookDifferent() throws {
        let names = [
            "bank", "bank\u{3164}", "bank\u{FE0F}", "bank\u{200D}", "bank\u{2800}", "bank\u{A0}", "bank\u{FFFC}",
        ]
        let items = names.map { FakeCoffer.item($0, "me") }
        let fixture = try FakeCoffer(broker: ["List": [.answer(Keychain.ItemsReply(items: items))]])
        for words in [["list"], ["list", "--json"]] {
            let result = try fixture.program.run(words)
            #expect(result.status == 0)
            let shown = result.text.unicodeScalars
            #expect(!shown.contains { !$0.isASCII }, "\(result.text)")
        }
        let lines = ItemTable.lines(try ReadItems.of(items), aligned: false, width: nil).dropFirst()
        #expect(Set(lines).count == names.count && lines.first?.hasPrefix("bank\t") == true, "\(lines)")
    }

    /// One long name must not spoil the table's lines.
    @Test func longNamesAreCutToTheTerminal() throws {
        let long = String(repeating: "字x", count: 60)
        let items = try ReadItems.of([
            FakeCoffer.item(long, "me@example.com"), FakeCoffer.item("a", long), FakeCoffer.item("b", "c"),
        ])
        let lines = ItemTable.lines(items, aligned: true, width: 80)
        #expect(lines.allSatisfy { TextWidth.of($0) <= 80 })
        #expect(lines[1].contains("…") && lines[2].contains("…") && !lines[3].contains("…"))
        #expect(Set(lines.map { $0.firstRange(of: "when-unlocked").map { _ in 1 } ?? 0 }) == [0, 1])
        // Nothing is cut for a program, or if the terminal does not say how wide it is.
        #expect(ItemTable.lines(items, aligned: false, width: 80)[1].contains(long))
        #expect(ItemTable.lines(items, aligned: true)[1].contains(long))
    }

    private static func expiring(_ service: String, in days: Double?) -> Keychain.Item {
        var item = FakeCoffer.item(service, "me")
        item.expires = days.map { Int64((Date().timeIntervalSince1970 + $0 * 86_400) * 1000) }
        return item
    }

    @Test func whatExpiresIsAColumn() throws {
        let items = [Self.expiring("a", in: 40), Self.expiring("b", in: nil), Self.expiring("c", in: 3.5)]
        let fixture = try FakeCoffer(broker: ["List": [.answer(Keychain.ItemsReply(items: items))]])
        let rows = try fixture.program.run("list").text.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(rows[0].last == "EXPIRES" && rows.allSatisfy { $0.count == 6 })
        #expect(rows[2].last == "-" && rows[1].last?.hasSuffix("Z") == true)
        #expect(try fixture.program.run("list", output: .terminal, turns: []).screen.contains("in 3 days"))
        let plain = try FakeCoffer(broker: ["List": [.answer(Keychain.ItemsReply(items: [items[1]]))]])
        #expect(try !plain.program.run("list").text.contains("EXPIRES"))
    }

    @Test(arguments: [
        (["--expiring"], ["c"]), (["--expiring=60d"], ["c", "a"]), (["--expiring", "60d"], ["c", "a"]),
        (["--expiring=1d"], []),
    ])
    func whatExpiresSoonIsListedFirst(options: [String], expected: [String]) throws {
        let items = [Self.expiring("a", in: 40), Self.expiring("b", in: nil), Self.expiring("c", in: 3)]
        let fixture = try FakeCoffer(broker: ["List": [.answer(Keychain.ItemsReply(items: items))]])
        let result = try fixture.program.run(["list"] + options)
        let rows = result.text.split(separator: "\n").dropFirst().map { String($0.prefix { $0 != "\t" }) }
        #expect(rows == expected, "\(result)")
        #expect(try fixture.program.run("list", "--expiring=x").status == 64)
    }

    /// Whatever the width, no line is wider, and nothing is cut where no width is known.
    @Test(arguments: [200, 80, 60, 40, 10, 1])
    func everyTableFitsItsTerminal(width: Int) throws {
        var wide = Self.expiring(String(repeating: "字👩‍💻e\u{301}☕️", count: 20), in: 5)
        wide.kind = .internetPassword
        wide.access = .whenUnlocked.thisDeviceOnly.requiring(.userPresence, .biometryAny)
        let items = try ReadItems.of([wide, FakeCoffer.item("b", "c")])
        let lines = ItemTable.lines(items, aligned: true, width: width)
        #expect(lines.allSatisfy { TextWidth.of($0) <= width })
        #expect(lines.count == 3 && lines[1].contains("…"))
        let version = ReadItems.former(set: 1_700_000_000_000, until: 1_800_000_000_000, wide.access)
        #expect(FormerTable.lines([version], aligned: true, width: width).allSatisfy { TextWidth.of($0) <= width })
        #expect(ItemTable.lines(items, aligned: true).allSatisfy { !$0.contains("…") })
    }

    @Test(arguments: [("a", 1), ("字", 2), ("é", 1), ("e\u{301}", 1), ("👩‍💻", 2), ("☕", 2), ("❤️", 2), ("🇩🇪", 2), ("ﾊ", 1)])
    func wideCharactersAreCounted(text: String, cells: Int) { #expect(TextWidth.of(text) == cells) }

    @Test func theTerminalSaysHowWideItIs() throws {
        let long = String(repeating: "x", count: 200)
        let fixture = try FakeCoffer(broker: ["List": [.answer(Keychain.ItemsReply(items: [FakeCoffer.item(long)]))]])
        var shell = fixture.program
        shell.executable = "/bin/sh"
        let result = try shell.run(
            "-c", "stty cols 70 <&1; exec \(Program.path) list", input: .terminal, output: .terminal, turns: [])
        let lines = result.screen.split(separator: "\r\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.count <= 70 } && lines[1].contains("…"))
    }

    @Test func whatLocksIsForProgramsToo() throws {
        let reply = Keychain.Status.Reply(
            vault: .init(state: .none), sealer: .init(kind: "tpm"), version: "0.1.0", sandbox: false,
            locks: ["screen", "sleep", "15 min idle"],
            lockedBy: .init(screen: true, sleep: true, idleMinutes: 15), warnings: [])
        let fixture = try FakeCoffer(broker: ["Status": [.answer(reply)]])
        struct Locks: Decodable, Equatable { var screen, sleep: Bool, idleMinutes: Int64? }
        struct Record: Decodable { var locks: Locks }
        let record = try JSONDecoder().decode(
            Record.self, from: Data(try fixture.program.run("status", "--json").output))
        #expect(record.locks == .init(screen: true, sleep: true, idleMinutes: 15))
    }

    /// Attacker 3 names the command of a lease as the rest of the line goes on.
    @Test func whatALeaseIsForDoesNotPassForTheRestOfTheLine() throws {
        func lease(_ command: String?, _ program: String?) -> Keychain.LeaseState {
            .init(id: 1, pid: 42, command: command, program: program, items: [], granted: 0, ends: 0)
        }
        let reply = Keychain.Status.Reply(
            vault: .init(state: .unlocked), sealer: .init(kind: "tpm"), version: "0.1.0", sandbox: false, warnings: [],
            leases: [
                lease("make (pid 1), 1 item", nil), lease(nil, "/opt/a b/c"), lease("make", "/usr/bin/coffer"),
                lease(nil, nil),
            ])
        let fixture = try FakeCoffer(broker: ["Status": [.answer(reply)]])
        let names = try fixture.program.run("status").text.split(separator: "\n").filter { $0.hasPrefix("Lease: ") }
            .map { String($0.prefix { $0 != "4" }) }
        #expect(
            names == [
                #"Lease: "make (pid 1), 1 item" (pid "#, #"Lease: "/opt/a b/c" (pid "#, "Lease: make (pid ",
                "Lease: a program (pid ",
            ], "\(names)")
    }

    @Test func theStatusSaysWhatTheTPMHasNotCounted() throws {
        func status(_ protected: Bool?) -> FakeServer.Step {
            .answer(
                Keychain.Status.Reply(
                    vault: .init(state: .unlocked, counter: 0x1B0_C001, protected: protected),
                    sealer: .init(kind: "tpm"), version: "0.1.0", sandbox: false, warnings: []))
        }
        let line = "Not yet protected: the last deletions and changes of access; the TPM counts them soon\n"
        let fixture = try FakeCoffer(broker: ["Status": [status(false)]])
        let text = try fixture.program.run("status").text
        #expect(text.contains("Rollback protection: on (TPM counter 0x1b0c001)\n" + line), "\(text)")
        #expect(try fixture.program.run("status", "--json").text.contains("\"protected\" : false"))
        let other = try FakeCoffer(broker: ["Status": [status(nil)]])
        #expect(try !other.program.run("status").text.contains("protected:"))
        #expect(try !other.program.run("status", "--json").text.contains("protected"))
    }

    @Test func aDeletionThatTheTPMHasNotCountedIsSaidAsAnyOther() throws {
        let reply = Keychain.ChangedItemReply(item: FakeCoffer.item(), protected: false)
        let fixture = try FakeCoffer(broker: ["Delete": [.answer(reply)]])
        let removed = try fixture.program.run("rm", "-f", "github", "me")
        #expect(removed.status == 0 && removed.errors == "Removed github/me\n" && removed.text.isEmpty)
    }

    @Test func lockAndSetAnswerInJSON() throws {
        let fixture = try FakeCoffer(broker: [
            "Lock": [.answer(Keychain.VaultReply(vault: .init(state: .locked, since: 1_700_000_000_000)))],
            "Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored(replaced: 1_700_000_000_000)],
        ])
        let locked = try fixture.program.run("lock", "--json")
        #expect(locked.text.contains("\"state\" : \"locked\"") && locked.errors.isEmpty)
        let stored = try fixture.program.run("set", "github", "me", "--json", input: .bytes([1]))
        #expect(stored.text.contains("\"replaced\" : \"2023-11-14T22:13:20.000Z\"") && stored.errors.isEmpty)
        #expect(stored.text.contains("\"service\" : \"github\""))
    }

    @Test func editChangesOnlyWhatIsNamed() throws {
        let reply = FakeServer.Step.answer(Keychain.ItemReply(item: FakeCoffer.item(require: [.userPresence])))
        let fixture = try FakeCoffer(broker: ["Show": [reply], "Edit": [reply]])
        #expect(try fixture.program.run("edit", "github", "me", "--label", "New", "--expires", "never").status == 0)
        #expect(try fixture.program.run("edit", "github", "me", "--access", "after-first-unlock").status == 0)
        #expect(try fixture.program.run("edit", "github", "me", "--require", "none").status == 0)
        let calls = try fixture.broker.calls("Edit").compactMap { try $0.parameters(Keychain.Edit.self) }
        #expect(calls[0].label == "New" && calls[0].expires == 0 && calls[0].access == nil && calls[0].comment == nil)
        #expect(calls[1].access == .afterFirstUnlock.requiring(.userPresence))
        #expect(calls[2].access == .whenUnlocked)
    }
}
