import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

@testable import coffer_cli

/// `rm`, `list --deleted`, `restore` and the bin.
@Suite(.timeLimit(.minutes(30)))
struct BinTests {
    private static let time: Int64 = 1_700_000_000_000
    private static let until: Int64 = 1_702_592_000_000

    private static func gone(_ service: String = "github", _ account: String = "me") -> Keychain.Item {
        var item = FakeCoffer.item(service, account)
        item.deleted = time
        return item
    }

    private static func status(_ days: Int64?) -> FakeServer.Step {
        .answer(
            Keychain.Status.Reply(
                vault: .init(state: .unlocked), sealer: .init(kind: "tpm"), version: "0.1.0", sandbox: false,
                warnings: [], history: .init(values: 3, days: 30, bin: days)))
    }

    private static func deleted(_ items: Keychain.Item...) -> FakeServer.Step {
        .answer(Keychain.ItemsReply(items: items))
    }

    private static let shown = FakeServer.Step.answer(Keychain.ItemReply(item: FakeCoffer.item()))
    private static let binned = FakeServer.Step.answer(
        Keychain.Delete.Reply(item: FakeCoffer.item(), until: until))

    @Test func removingSaysHowToHaveItBack() throws {
        let fixture = try FakeCoffer(broker: ["Delete": [Self.binned]])
        let removed = try fixture.program.run("rm", "-f", "github", "me")
        #expect(
            removed.errors
                == "Removed github/me; the bin keeps it until \(TimeText(Self.until).day). To bring it back: coffer restore github me\n"
        )
        let call = try #require(try fixture.broker.calls("Delete").first?.parameters(Keychain.Delete.self))
        #expect(call.bin == true && call.inBin == nil)
        let json = try fixture.program.run("rm", "-f", "github", "me", "--json")
        #expect(json.text.contains("\"until\" : \"2023-12-14T22:13:20.000Z\""))
    }

    @Test(arguments: [30, 1, 0, nil] as [Int64?])
    func theQuestionSaysWhatWillBe(_ days: Int64?) throws {
        let fixture = try FakeCoffer(
            broker: ["Show": [Self.shown], "Delete": [Self.binned], "Status": [Self.status(days)]])
        let result = try fixture.program.run(
            "rm", "github", "me", input: .terminal, turns: [.init(wait: "[y/N] ", type: "y\r")])
        #expect(result.status == 0)
        let words =
            switch days {
            case 30: "The bin keeps it for 30 days. [y/N]"
            case 1: "The bin keeps it for a day. [y/N]"
            case 0: "It cannot be brought back. [y/N]"
            default: " ago? "
            }
        #expect(result.screen.contains(words), "\(result.screen)")
    }

    @Test func nowIsForGood() throws {
        let fixture = try FakeCoffer(broker: ["Show": [Self.shown], "Delete": [Self.shown]])
        let result = try fixture.program.run(
            "rm", "--now", "github", "me", input: .terminal, turns: [.init(wait: "[y/N] ", type: "y\r")])
        #expect(result.status == 0 && result.screen.contains("It cannot be brought back."))
        let call = try #require(try fixture.broker.calls("Delete").first?.parameters(Keychain.Delete.self))
        #expect(call.bin == nil && call.inBin == nil)
    }

    @Test(arguments: [["github", "me"], ["github"], ["github/me"]])
    func nowAlsoEmptiesTheBin(_ words: [String]) throws {
        let fixture = try FakeCoffer(broker: [
            "Show": [FakeCoffer.absent], "Exists": [.answer(Keychain.Exists.Reply(exists: false))],
            "List": [Self.deleted(Self.gone(), Self.gone(), Self.gone("gitlab"))], "Delete": [Self.shown],
        ])
        let result = try fixture.program.run(
            ["rm", "--now"] + words, input: .terminal, turns: [.init(wait: "[y/N] ", type: "y\r")])
        #expect(
            result.screen.contains("Delete all 2 secrets named github/me from the bin? They cannot be brought back."),
            "\(result.screen)")
        let call = try #require(try fixture.broker.calls("Delete").first?.parameters(Keychain.Delete.self))
        #expect(call.inBin == true && call.service == "github" && call.account == "me")
    }

    @Test func whatIsNowhereIsNotFound() throws {
        for words in [
            ["rm", "-f", "github", "me"], ["rm", "-f", "--now", "github", "me"], ["restore", "github", "me"],
        ] {
            let fixture = try FakeCoffer(broker: [
                "Show": [FakeCoffer.absent], "History": [FakeCoffer.absent], "Delete": [FakeCoffer.absent],
                "List": [Self.deleted()],
            ])
            #expect(try fixture.program.run(words).status == 3, "\(words)")
        }
    }

    @Test func theBinIsListed() throws {
        let fixture = try FakeCoffer(broker: [
            "List": [Self.deleted(Self.gone(), Self.gone("gitlab"))], "Status": [Self.status(30)],
        ])
        let result = try fixture.program.run("list", "--deleted")
        #expect(
            result.text == """
                SERVICE\tACCOUNT\tDELETED\tUNTIL
                github\tme\t2023-11-14T22:13:20.000Z\t2023-12-14T22:13:20.000Z
                gitlab\tme\t2023-11-14T22:13:20.000Z\t2023-12-14T22:13:20.000Z

                """)
        let call = try #require(try fixture.broker.calls("List").first?.parameters(Keychain.List.self))
        #expect(call.deleted == true)
        let one = try fixture.program.run("list", "--deleted", "gitlab", "--json")
        #expect(one.text.contains("\"until\" : \"2023-12-14T22:13:20.000Z\"") && !one.text.contains("github"))
        #expect(try fixture.program.run("list", "--deleted", "--expiring").status == 64)
    }

    @Test(arguments: [["github", "me"], ["github"], ["github/me"]])
    func itComesBack(_ words: [String]) throws {
        let fixture = try FakeCoffer(broker: [
            "History": [FakeCoffer.absent], "Exists": [.answer(Keychain.Exists.Reply(exists: false))],
            "List": [Self.deleted(Self.gone(), Self.gone("gitlab"))], "RestoreDeleted": [Self.shown],
        ])
        // It asks nothing: reading it still does.
        let result = try fixture.program.run(["restore"] + words)
        #expect(result.status == 0 && result.errors == "Restored github/me from the bin\n", "\(result.errors)")
        let calls = try fixture.broker.calls("RestoreDeleted").map { try $0.parameters(Keychain.RestoreDeleted.self) }
        #expect(calls.map { $0?.account } == ["me"])
    }

    @Test func severalNamesAreAmbiguous() throws {
        let fixture = try FakeCoffer(broker: [
            "History": [FakeCoffer.absent], "List": [Self.deleted(Self.gone(), Self.gone("github", "you"))],
        ])
        let result = try fixture.program.run("restore", "github")
        #expect(result.status != 0 && result.errors.contains("github/me, github/you"), "\(result.errors)")
        #expect(fixture.broker.calls("RestoreDeleted").isEmpty)
    }

    @Test func aFormerValueComesFirst() throws {
        let former = Keychain.FormerVersion(version: 1, set: Self.time, access: .whenUnlocked, until: Self.until)
        let history = FakeServer.Step.answer(Keychain.History.Reply(item: FakeCoffer.item(), versions: [former]))
        let fixture = try FakeCoffer(broker: [
            "History": [history], "List": [Self.deleted(Self.gone())], "Restore": [Self.shown],
        ])
        #expect(try fixture.program.run("restore", "-f", "github", "me").status == 0)
        #expect(fixture.broker.calls("Restore").count == 1 && fixture.broker.calls("List").isEmpty)
    }

    @Test func aTakenNameIsExplained() throws {
        let history = FakeServer.Step.answer(Keychain.History.Reply(item: FakeCoffer.item(), versions: []))
        let fixture = try FakeCoffer(broker: [
            "History": [history], "List": [Self.deleted(Self.gone())],
            "RestoreDeleted": [.fault(.alreadyExists, "taken")],
        ])
        let result = try fixture.program.run("restore", "-f", "github", "me")
        #expect(result.status == 10)
        #expect(result.errors.contains("coffer rename github me github NEW_ACCOUNT"), "\(result.errors)")
    }

    @Test func theSettingIsShownAndChanged() throws {
        func reply(_ bin: Int64) -> FakeServer.Step {
            .answer(Keychain.SetHistory.Reply(history: .init(values: 3, days: 30, bin: bin)))
        }
        let fixture = try FakeCoffer(broker: ["SetHistory": [reply(7), reply(0)]])
        #expect(
            try fixture.program.run("history", "--bin", "7").text.hasSuffix("\nRemoved secrets are kept for 7 days\n"))
        #expect(try fixture.program.run("history", "--bin", "0").text.hasSuffix("\nRemoved secrets are not kept\n"))
        let calls = try fixture.broker.calls("SetHistory").map { try $0.parameters(Keychain.SetHistory.self) }
        #expect(calls.map { $0?.bin } == [7, 0])
        #expect(try fixture.program.run("history", "github", "me", "--bin", "7").status == 64)
    }
}
