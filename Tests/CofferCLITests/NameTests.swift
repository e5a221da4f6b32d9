import BrokerProtocol
import Foundation
import TestSupport
import Testing

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// Names: never altered, never two that look alike, and accepted as they are shown.
@Suite struct NameTests {
    private static let shown: [(String, String?, String)] = [
        ("github", "me", "github/me"), ("GitHub", "me@example.com", "GitHub/me@example.com"), ("github", nil, "github"),
        ("a", "b/c/d", "a/\"b/c/d\""), ("a/b", "c/d", "\"a/b\"/\"c/d\""), ("a b", "c", "\"a b\"/c"),
        ("a", "", "a/\"\""),
        ("a\"b", "c", "\"a\\\"b\"/c"), ("a\nb", "c", "\"a\\nb\"/c"), ("a;", "c.", "\"a;\"/\"c.\""),
        ("https://x", nil, "\"https://x\""), ("päss", "字", "päss/字"),
    ]

    @Test(arguments: shown)
    func whatCouldBeMisreadIsQuoted(service: String, account: String?, text: String) {
        #expect(VisibleText.name(service: service, account: account) == text)
    }

    @Test func noTwoNamesLookAlike() {
        let parts = ["a", "b", "a/b", "b/a", "a b", "\"a", "a\"", "\\", "", "a\"/\"b", "a\\", "\n", "\\n"]
        var seen: [String: String] = [:]
        for service in parts {
            for account in parts {
                let text = VisibleText.name(service: service, account: account)
                let former = seen.updateValue("\(service)|\(account)", forKey: text)
                #expect(former == nil, "\(text)")
            }
        }
    }

    @Test(arguments: [["get", "GitHub", "Me"], ["show", "GitHub", "Me"], ["rm", "-f", "GitHub", "Me"]])
    func aMessageKeepsANamesLetters(arguments: [String]) throws {
        let missing = FakeServer.Step.fault(.notFound, "there is no such item")
        let fixture = try FakeCoffer(broker: ["Get": [missing], "Show": [missing], "Delete": [missing]])
        let result = try fixture.program.run(arguments)
        #expect(result.status == 3)
        #expect(result.errors == "coffer: GitHub/Me: there is no such item; list your items with: coffer list\n")
    }

    /// - Parameter items: the stored items, as service and account.
    private func parts(_ word: String, _ items: [(String, String)]) throws -> [String?] {
        let found = try JoinedName.parts(of: word) { (service, account) throws(KeychainError) in
            items.contains { $0.0 == service && (account == nil || $0.1 == account) }
        }
        return [found.service, found.account]
    }

    @Test func aNameInOneWordIsWhatIsStored() throws {
        #expect(try parts("github/me", [("github", "me")]) == ["github", "me"])
        #expect(try parts("github/me", []) == ["github", "me"])
        #expect(try parts("github", [("github", "me")]) == ["github", nil])
        // A service of exactly that name wins.
        #expect(try parts("github/me", [("github", "me"), ("github/me", "x")]) == ["github/me", nil])
        #expect(try parts("a/b/c", [("a", "b/c")]) == ["a", "b/c"])
        #expect(try parts("a/b/c", [("a/b", "c"), ("a", "b")]) == ["a/b", "c"])
        #expect(try parts("a/b/c", []) == ["a/b/c", nil])
        #expect(try parts("/a", []) == ["/a", nil])
        #expect(try parts("a/", [("a", "")]) == ["a", ""])
        #expect(throws: KeychainError(.ambiguous, "")) { try parts("a/b/c", [("a", "b/c"), ("a/b", "c")]) }
        let deep = String(repeating: "/", count: 1000)
        #expect(try parts(deep, []) == [deep, nil])
    }

    @Test func commandsTakeANameAsItIsShown() throws {
        let item = FakeServer.Step.answer(Keychain.ItemReply(item: FakeCoffer.item()))
        let fixture = try FakeCoffer(broker: [
            "Exists": [
                .answer(Keychain.Exists.Reply(exists: false)), .answer(Keychain.Exists.Reply(exists: true)),
            ],
            "Get": [FakeCoffer.value([0x76])], "Delete": [item],
        ])
        #expect(try fixture.program.run("get", "github/me").text == "v")
        let call = try #require(try fixture.broker.calls("Get").first?.parameters(Keychain.Get.self))
        #expect(call.service == "github" && call.account == "me")

        let absent = FakeServer.Step.answer(Keychain.Exists.Reply(exists: false))
        let other = try FakeCoffer(broker: [
            "Exists": [absent], "Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()], "Rename": [item],
            "Delete": [item],
        ])
        #expect(try other.program.run("set", "github/me", input: .bytes([1])).status == 0)
        let set = try #require(try other.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(set.service == "github" && set.account == "me")
        #expect(try other.program.run("rename", "github/me", "gitlab/you").status == 0)
        let rename = try #require(try other.broker.calls("Rename").first?.parameters(Keychain.Rename.self))
        #expect(
            [rename.service, rename.account, rename.newService, rename.newAccount] == ["github", "me", "gitlab", "you"])
        #expect(try other.program.run("rm", "-f", "github/me").status == 0)
        // Two slashes, and nothing there tells which one is meant. So it is a service, which has no item.
        #expect(try other.program.run("rm", "-f", "a/b/c").status == 3)
    }

    private static func list(_ items: [BrokerProtocol.Keychain.Item]) -> FakeServer.Step {
        .answer(Keychain.ItemsReply(items: items))
    }

    private static let near: [(String, String?, [String])] = [
        ("githb", "me", ["github/me"]), ("GITHUB", "ME", ["github/me"]), ("me", "github", ["github/me"]),
        ("github", "mee", ["github/me"]), ("github", "nobody", ["github/me", "github/you"]),
        ("gihtub", nil, ["github/me", "github/you"]),
        ("github", "me", []), ("github", nil, []), ("bank", "me", []), ("xy", "z", []), ("a", "c", ["a/b"]),
        (String(repeating: "a", count: 1000), "me", []), ("token", "ci", ["token/ci (key)"]), ("ab", "b", ["a/b"]),
    ]

    /// The beginning of a name is like it, and a short word is like few.
    @Test func whatWasNotTypedToItsEndIsNear() throws {
        let items = try ReadItems.of([
            FakeCoffer.item("big", "x"), FakeCoffer.item("gh", "big"), FakeCoffer.item("github", "me"),
        ])
        let found = { NearName.suggestions(for: PartialName(service: $0, account: nil), among: items) }
        #expect(found("gith") == ["github/me"] && found("bi") == ["big/x"] && found("gi").isEmpty == false)
        #expect(found("ab").isEmpty)
    }

    @Test(arguments: near)
    func aNameThatIsNearIsSuggested(service: String, account: String?, expected: [String]) throws {
        var key = FakeCoffer.item("token", "ci")
        key.kind = .key
        let items = try ReadItems.of([
            FakeCoffer.item("a", "b"), FakeCoffer.item("github", "me"), FakeCoffer.item("github", "you"), key,
        ])
        let name = PartialName(service: service, account: account)
        #expect(NearName.suggestions(for: name, among: items).prefix(expected.count).map { $0 } == expected)
        #expect(expected.isEmpty == NearName.suggestions(for: name, among: items).isEmpty)
    }

    @Test(arguments: [
        ["get", "githb", "me"], ["show", "githb", "me"], ["rm", "githb", "me"], ["rm", "-f", "githb", "me"],
        ["otp", "githb", "me"], ["history", "githb", "me"], ["restore", "githb", "me", "-f"],
        ["rotate", "githb", "me"],
        ["edit", "githb", "me", "--label", "x"], ["rename", "githb", "me", "a", "b"],
        ["edit", "githb", "me", "--access", "always"],
    ])
    func everyCommandSuggests(arguments: [String]) throws {
        let missing = FakeServer.Step.fault(.notFound, "there is no such item")
        var broker = ["Get", "Show", "Delete", "History", "Rotate", "Edit", "Rename"].reduce(into: [:]) {
            $0[$1] = [missing]
        }
        // The seed beside the item is not there, either.
        broker["Exists"] = [.answer(Keychain.Exists.Reply(exists: false))]
        broker["List"] = [Self.list([FakeCoffer.item("github", "me\u{1B}")])]
        let fixture = try FakeCoffer(broker: broker)
        let result = try fixture.program.run(arguments)
        #expect(result.status == 3)
        #expect(
            result.errors.hasSuffix("there is no such item; did you mean github/\"me\\u{1b}\"?\n"), "\(result)")
    }

    /// Attacker: another member of a group, who names an account by what a terminal obeys.
    @Test(arguments: [
        (["rm", "-f", "github"], "coffer restore github"),
        (["edit", "github", "--unset", "pin"], "coffer restore github"),
        (["edit", "github", "--value"], "coffer restore github"),
        (["edit", "github", "--value"], "first run: coffer edit github"),
        (["set", "github/me\u{1B}]0;x\u{7}", "--generate"], "coffer restore github"),
        (["set", "github/me\u{1B}]0;x\u{7}", "--generate"], "coffer get github"),
    ])
    func aNameFromTheVaultDrivesNoTerminal(arguments: [String], said: String) throws {
        var item = FakeCoffer.item("github", "me\u{1B}]0;x\u{7}")
        item.revision = "r7"
        let former = Keychain.FormerVersion(
            version: 1, field: "pin", set: 1_700_000_000_000, access: .whenUnlocked.requiring(.userPresence),
            until: .max)
        let shown = FakeServer.Step.answer(Keychain.ItemReply(item: item))
        var fixture = try FakeCoffer(broker: [
            "Show": [shown], "Edit": [shown],
            "Exists": [.answer(Keychain.Exists.Reply(exists: false))],
            "Delete": [.answer(Keychain.Delete.Reply(item: item, until: 1_702_592_000_000))],
            "History": [.answer(Keychain.History.Reply(item: item, versions: [former]))],
            "Get": [FakeCoffer.value(Array("old".utf8), item)],
            "Set": [.answer(Keychain.Set.Reply(item: item, replaced: 1_700_000_000_000, former: 1))],
        ])
        try fixture.scratch.program("ed1", "#!/bin/sh\nprintf new >\"$1\"\n")
        fixture.program.environment["EDITOR"] = fixture.scratch.file("ed1")
        let result = try fixture.program.run(arguments)
        #expect(result.status == 0 && result.errors.contains(said), "\(result)")
        #expect(!result.errors.contains("\u{1B}") && !result.errors.contains("\u{7}"), "\(result)")
        #expect(result.errors.contains("$'me\\u001b]0;x\\u0007'"), "\(result)")
    }

    /// Only the vault that was named is looked through.
    @Test func suggestionsComeFromTheSameVault() throws {
        let fixture = try FakeCoffer(broker: [
            "Get": [.fault(.notFound, "there is no such item")], "List": [Self.list([FakeCoffer.item()])],
        ])
        _ = try fixture.program.run("get", "githb", "me", "--group", "ops")
        let calls = fixture.broker.calls("List").map { String(decoding: $0.message, as: UTF8.self) }
        #expect(calls.count == 1 && calls.allSatisfy { $0.contains("\"group\":\"ops\"") }, "\(calls)")
    }

    @Test func anAccountCanBeLeftOut() throws {
        let item = FakeServer.Step.answer(Keychain.ItemReply(item: FakeCoffer.item()))
        let fixture = try FakeCoffer(broker: ["Show": [item], "Delete": [item], "Rename": [item], "Edit": [item]])
        #expect(try fixture.program.run("rm", "-f", "github").status == 0)
        #expect(try fixture.broker.calls("Delete").first?.parameters(Keychain.Delete.self)?.account == "me")
        #expect(try fixture.program.run("edit", "github", "--label", "x").status == 0)
        #expect(try fixture.broker.calls("Edit").first?.parameters(Keychain.Edit.self)?.account == "me")
        #expect(try fixture.program.run("rename", "github", "gitlab/you").status == 0)
        let rename = try #require(try fixture.broker.calls("Rename").first?.parameters(Keychain.Rename.self))
        #expect([rename.account, rename.newService, rename.newAccount] == ["me", "gitlab", "you"])
        #expect(try fixture.program.run("rename", "github", "gitlab").status == 64)
        #expect(try fixture.program.run("rename", "github", "gitlab", "you").status == 64)
        #expect(try fixture.program.run("rename", "github", "a/b/c").status == 64)
    }

    /// With several accounts, nothing is removed.
    @Test func oneOfSeveralIsNotChosen() throws {
        let fixture = try FakeCoffer(broker: ["Show": [.fault(.ambiguous, .init(accounts: ["he", "you"]))]])
        let result = try fixture.program.run("rm", "-f", "github")
        #expect(result.status == 3 && result.errors.contains("name one of: he, you"), "\(result)")
        #expect(fixture.broker.calls("Delete").isEmpty)
    }

    @Test func aCommandThatIsNamedCanBeRun() {
        #expect(ShellText.command("get", "-a", "b", ["--group", "g"]) == "coffer get --group g -- -a b")
        #expect(ShellText.command("get", "a", nil, ["--group", "g"]) == "coffer get a --group g")
    }

    /// If what shows a command changed it, a shell would name another secret.
    @Test(arguments: [
        "zw\u{200B}x", "me\u{1B}]0;x\u{7}", "it's\u{202E}\\", "a'\u{301}b", "\u{301}x", "k\u{E0001}y", "a \u{301}",
        "a\nb", "cafe\u{301}", "naïve $(x)",
    ])
    func aShellReadsANameAsItIs(word: String) throws {
        let command = ShellText.command(["printf", "%s", word])
        #expect(VisibleText.sentence(command) == command)
        var bash = Program(scratch: try Scratch())
        bash.executable = "/bin/bash"
        #expect(try bash.run("-c", command).output == Array(word.utf8), "\(command)")
    }
}
