import BrokerProtocol
import Foundation
import Testing

/// What list, search, show, status and exists print, for people and for programs.
@Suite struct ListingTests {
    private static let items = [
        Stage.item("db", "admin", require: [.presence], modified: 1_700_000_000_123),
        Stage.item("github", "\u{1B}]0;evil\u{7}\tx\ny\\z\u{202E}"),
    ]

    /// One item a reply, as the broker gives them.
    private static var list: FakeServer.Step {
        .replies(
            items.enumerated().map { index, item in
                FakeServer.encode(VarlinkReply(Keychain.ItemsReply(items: [item]), continues: index < items.count - 1))
            })
    }

    @Test func aProgramGetsTabs() throws {
        let stage = try Stage(broker: ["List": [Self.list]])
        let result = try stage.program.run("list")
        #expect(
            result.text == """
                SERVICE\tACCOUNT\tACCESS\tREQUIRES\tCHANGED
                db\tadmin\twhen-unlocked\tpresence\t2023-11-14T22:13:20.123Z
                github\t\\u{1b}]0;evil\\u{7}\\tx\\ny\\\\z\\u{202e}\twhen-unlocked\t-\t2023-11-14T22:13:20.000Z

                """)
    }

    @Test func aPersonGetsColumns() throws {
        let stage = try Stage(broker: ["List": [Self.list]])
        let result = try stage.program.run("list", output: .terminal, turns: [])
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
        let stage = try Stage(broker: ["List": [Self.list]])
        let records = try JSONDecoder().decode(
            [Record].self, from: Data(try stage.program.run("list", "--json").output))
        #expect(records.map(\.account) == Self.items.map(\.account))
        #expect(records[0].modified == "2023-11-14T22:13:20.123Z")
    }

    @Test func getAsJSONHasTheValueTwice() throws {
        struct Record: Decodable {
            var value: String?
            var valueBase64: String
        }
        let stage = try Stage(broker: ["Get": [Stage.value([0xFF]), Stage.value(Array("ok".utf8))]])
        let binary = try JSONDecoder().decode(
            Record.self, from: Data(try stage.program.run("get", "github", "--json").output))
        #expect(binary.value == nil && binary.valueBase64 == "/w==")
        let text = try JSONDecoder().decode(
            Record.self, from: Data(try stage.program.run("get", "github", "--json").output))
        #expect(text.value == "ok")
    }

    @Test func existsAnswersByItsStatus() throws {
        let stage = try Stage(broker: [
            "Exists": [.answer(Keychain.Exists.Reply(exists: true)), .answer(Keychain.Exists.Reply(exists: false))]
        ])
        let there = try stage.program.run("exists", "github", "me")
        let absent = try stage.program.run("exists", "github", "me")
        #expect(there.status == 0 && absent.status == 3)
        #expect(there.output.isEmpty && there.errors.isEmpty && absent.output.isEmpty && absent.errors.isEmpty)
    }

    @Test func statusSpeaksToPeople() throws {
        let stage = try Stage(broker: [
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
            try stage.program.run("status").text == """
                Vault: none yet; the first `coffer set` makes it
                Sealed by: TPM 2.0 (IBM, SW  TPM)
                Locks: screen, sleep, 15 min idle
                Broker: cofferd 0.1.0
                Warning: a sandbox: it guards nothing

                """)
    }

    @Test func removingAsksOnATerminalOnly() throws {
        let script: [String: [FakeServer.Step]] = [
            "Show": [.answer(Keychain.ItemReply(item: Stage.item()))],
            "Delete": [.answer(Keychain.ItemReply(item: Stage.item()))],
        ]
        let kept = try Stage(broker: script)
        let no = try kept.program.run(
            "rm", "github", "me", input: .terminal, turns: [.init(wait: "[y/N] ", type: "\r")])
        #expect(no.status == 1)
        #expect(kept.broker.calls("Delete").isEmpty)
        let removed = try Stage(broker: script)
        let yes = try removed.program.run(
            "rm", "github", "me", input: .terminal, turns: [.init(wait: "[y/N] ", type: "y\r")])
        #expect(yes.status == 0)
        #expect(yes.errors == "Removed github/me\n")
        let forced = try Stage(broker: script)
        #expect(try forced.program.run("rm", "-f", "github", "me", input: .terminal, turns: []).status == 0)
        let piped = try Stage(broker: script)
        #expect(try piped.program.run("rm", "github", "me").status == 0)
        #expect(piped.broker.calls("Delete").count == 1)
    }

    @Test func editChangesOnlyWhatIsNamed() throws {
        let reply = FakeServer.Step.answer(Keychain.ItemReply(item: Stage.item(require: [.presence])))
        let stage = try Stage(broker: ["Show": [reply], "Edit": [reply]])
        #expect(try stage.program.run("edit", "github", "me", "--label", "New", "--expires", "never").status == 0)
        #expect(try stage.program.run("edit", "github", "me", "--access", "after-first-unlock").status == 0)
        #expect(try stage.program.run("edit", "github", "me", "--require", "none").status == 0)
        let calls = try stage.broker.calls("Edit").compactMap { try $0.parameters(Keychain.Edit.self) }
        #expect(calls[0].label == "New" && calls[0].expires == 0 && calls[0].access == nil && calls[0].comment == nil)
        #expect(calls[1].access == .init(accessibility: .afterFirstUnlock, require: [.presence]))
        #expect(calls[2].access == .init())
    }
}
