import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing

@testable import coffer_cli

/// Fields on the command line: a command about one of them never reads, replaces or brings back another.
@Suite struct FieldCommandTests {
    private static func item(
        _ fields: [(String, FieldKind)] = [("secret", .secret), ("pin", .secret)],
        require: [AccessControl.Requirement] = []
    ) -> Keychain.Item {
        var item = FakeCoffer.item(require: require)
        item.revision = "r7"
        item.fields = fields.map { Keychain.Field(name: $0.0, kind: $0.1, set: 1_700_000_000_000) }
        return item
    }

    private static func shown(_ item: Keychain.Item) -> FakeServer.Step { .answer(Keychain.ItemReply(item: item)) }

    private static func history(_ item: Keychain.Item, _ versions: [(Int64, String?)] = []) -> FakeServer.Step {
        .answer(
            Keychain.History.Reply(
                item: item,
                versions: versions.map {
                    Keychain.FormerVersion(
                        version: $0.0, field: $0.1, set: 1_700_000_000_000, access: item.access,
                        until: 1_900_000_000_000)
                }))
    }

    private func set(_ fixture: FakeCoffer) throws -> Keychain.Set? {
        try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self)
    }

    private func setting(
        _ present: Keychain.Item?, secret: String = "hunter2", _ arguments: String..., input: String = "x"
    ) throws -> (FakeCoffer, Program.Result) {
        let present = present
        let fixture = try FakeCoffer(broker: [
            "Show": [present.map(Self.shown) ?? FakeCoffer.absent],
            "History": [present.map { Self.history($0) } ?? FakeCoffer.absent],
            "Get": [FakeCoffer.value(Array(secret.utf8), present ?? FakeCoffer.item())],
            "Set": [FakeCoffer.stored()],
        ])
        return (
            fixture, try fixture.program.run(["set", "github", "me"] + arguments, input: .bytes(Array(input.utf8)))
        )
    }

    private static let seed = "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ"

    @Test func aFieldIsStoredBesideTheOthers() throws {
        let (fixture, result) = try setting(Self.item(), "--field", "pin", input: "1234")
        #expect(result.status == 0 && result.errors == "Stored github/me, field pin\n", "\(result)")
        let call = try #require(try set(fixture))
        #expect(call.field == "pin" && call.fieldKind == nil && call.access == nil && call.mode == nil)
    }

    @Test func aFileIsStoredAsItIs() throws {
        let (fixture, result) = try setting(Self.item(), "--file-field", "codes.txt", input: "a\n")
        #expect(result.status == 0 && result.errors == "Stored github/me, field codes.txt\n", "\(result)")
        let call = try #require(try set(fixture))
        #expect(call.field == "codes.txt" && call.fieldKind == .file && call.value == "YQo=")
    }

    /// A password must not be replaced by a seed.
    @Test func aSeedIsStoredBesideAPassword() throws {
        for present in [nil, FakeCoffer.item(), Self.item(), Self.item([("pin", .secret)])] {
            let (fixture, result) = try setting(present, "--otp", input: Self.seed)
            #expect(result.status == 0, "\(result)")
            let call = try #require(try set(fixture))
            #expect(call.field == "otp" && call.fieldKind == .otp)
        }
    }

    /// It was stored before there were fields.
    @Test func aSeedOfItsOwnStaysInItsPlace() throws {
        let (fixture, result) = try setting(FakeCoffer.item(), secret: Self.seed, "--otp", input: Self.seed)
        #expect(result.status == 0, "\(result)")
        let call = try #require(try set(fixture))
        #expect(call.field == nil && call.fieldKind == nil)
    }

    /// Storing asks nobody, so what a guarded secret is stays unknown.
    @Test func aGuardedSecretIsNotReadForASeed() throws {
        let (fixture, result) = try setting(
            Self.item([("secret", .secret)], require: [.userPresence]), secret: Self.seed, "--otp", input: Self.seed)
        #expect(result.status == 0 && fixture.broker.calls("Get").isEmpty, "\(result)")
        #expect(try set(fixture)?.field == "otp")
    }

    @Test func aNewFieldReplacesNothing() throws {
        let (refused, result) = try setting(Self.item(), "--field", "pin", "--new")
        #expect(result.status == 10 && refused.broker.calls("Set").isEmpty, "\(result)")
        let (stored, other) = try setting(Self.item(), "--field", "code", "--new")
        #expect(other.status == 0, "\(other)")
        // Whoever stores the same field meanwhile is not overwritten either.
        #expect(try set(stored)?.ifRevision == "r7")
        let (first, third) = try setting(nil, "--field", "code", "--new")
        #expect(third.status == 0, "\(third)")
        #expect(try set(first)?.mode == .new)
        let (missing, fourth) = try setting(Self.item(), "--field", "code", "--existing")
        #expect(fourth.status == 3 && missing.broker.calls("Set").isEmpty, "\(fourth)")
    }

    /// Each request about guarded fields is a prompt. A person who expects one learns why there are more.
    @Test(arguments: [true, false])
    func severalRequestsAreAnnouncedIfTheyCanAsk(isGuarded: Bool) throws {
        let item = Self.item(require: isGuarded ? [.userPresence] : [])
        let one = Keychain.GetAll.Reply(items: [Keychain.ItemValue(value: "YQ==", item: item)])
        let fixture = try FakeCoffer(broker: [
            "Show": [Self.shown(item)],
            "GetAll": [.fault(.limitExceeded, "these items do not fit into one answer"), .answer(one)],
        ])
        let result = try fixture.program.run("get", "github", "me", "--all")
        #expect(result.status == 0 && result.text == "secret: a\npin: a\n", "\(result)")
        let reason = "these items do not fit into one answer"
        let note = "coffer: \(reason), so they are read in several requests, and each may ask you\n"
        #expect(result.errors == (isGuarded ? note : ""))
    }

    @Test func theFieldThatIsNamedIsRead() throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array("1234".utf8), Self.item())]])
        let result = try fixture.program.run("get", "github", "me", "--field", "pin")
        #expect(result.status == 0 && result.text == "1234", "\(result)")
        #expect(try fixture.broker.calls("Get").first?.parameters(Keychain.Get.self)?.field == "pin")
    }

    @Test func theSeedInAFieldComesFirst() throws {
        let item = Self.item([("secret", .secret), ("otp", .otp)])
        let fixture = try FakeCoffer(broker: [
            "Show": [Self.shown(item)], "Get": [FakeCoffer.value(Array(Self.seed.utf8), item)],
            "List": [.answer(Keychain.ItemsReply(items: [item, FakeCoffer.item("github", "me:otp")]))],
        ])
        for arguments in [["github", "me"], ["github"]] {
            let result = try fixture.program.run(["otp"] + arguments)
            #expect(result.status == 0, "\(result)")
            let call = try #require(try fixture.broker.calls("Get").last?.parameters(Keychain.Get.self))
            #expect(call.field == "otp" && call.account == "me")
        }
    }

    /// Seeds of two accounts are not mixed up.
    @Test func aServiceWithTwoSeedsNeedsAnAccount() throws {
        let item = Self.item([("secret", .secret), ("otp", .otp)])
        let fixture = try FakeCoffer(broker: [
            "Get": [.fault(.ambiguous, .init(message: "there are several accounts", accounts: ["me", "you:otp"]))],
            "List": [.answer(Keychain.ItemsReply(items: [item, FakeCoffer.item("github", "you:otp")]))],
        ])
        let result = try fixture.program.run("otp", "github")
        #expect(result.status == 3, "\(result)")
        #expect(try fixture.broker.calls("Get").first?.parameters(Keychain.Get.self)?.account == nil)
    }

    /// The newest former value may be another field's.
    @Test func theFieldThatIsNamedComesBack() throws {
        let item = Self.item()
        let fixture = try FakeCoffer(broker: [
            "Show": [Self.shown(item)],
            "History": [Self.history(item, [(9, "notes"), (7, "pin"), (5, nil), (4, "pin")])],
            "Restore": [.answer(Keychain.ChangedItemReply(item: item))],
        ])
        let cases: [([String], Int64)] = [
            (["--field", "pin"], 7), ([], 5), (["--former", "4"], 4), (["--field", "pin", "--former", "4"], 4),
        ]
        for (options, version) in cases {
            let result = try fixture.program.run(["restore", "-f", "github", "me"] + options)
            #expect(result.status == 0, "\(result)")
            #expect(
                try fixture.broker.calls("Restore").last?.parameters(Keychain.Restore.self)?.version == version)
        }
        let count = fixture.broker.calls("Restore").count
        for options in [["--field", "otp"], ["--field", "pin", "--former", "9"]] {
            #expect(try fixture.program.run(["restore", "-f", "github", "me"] + options).status == 3)
        }
        #expect(fixture.broker.calls("Restore").count == count)
    }

    @Test func aTerminalIsNotDrivenByAField() throws {
        let item = Self.item()
        func given(_ value: String) -> Keychain.ItemValue {
            Keychain.ItemValue(value: Data(value.utf8).base64EncodedString(), item: item)
        }
        let fixture = try FakeCoffer(broker: [
            "Show": [Self.shown(item)],
            "GetAll": [.answer(Keychain.GetAll.Reply(items: [given("hunter2"), given("\u{1B}]0;evil\u{7}")]))],
        ])
        let shown = try fixture.program.run("get", "github", "me", "--all", output: .terminal, turns: [])
        #expect(shown.status == 0 && !shown.screen.contains("evil") && shown.screen.contains("secret: hunter2"))
        let names = try fixture.broker.calls("GetAll").first?.parameters(Keychain.GetAll.self)?.items
        #expect(names?.map(\.field) == [nil, "pin"])
        let piped = try fixture.program.run("get", "github", "me", "--all")
        #expect(piped.text.contains("evil"), "\(piped)")
    }

    /// Half of an item is no item.
    @Test func anExportHasAllFieldsOrIsNotWritten() throws {
        let (listed, now) = (Self.item(), Self.item([("secret", .secret), ("pin", .secret), ("notes", .text)]))
        let value = Keychain.ItemValue(value: "eA==", item: now)
        let fixture = try FakeCoffer(broker: [
            "List": [.answer(Keychain.ItemsReply(items: [listed]))],
            "GetAll": [.answer(Keychain.GetAll.Reply(items: [value, value]))],
        ])
        let result = try fixture.program.run(
            "export", "--to", "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj", "--armor")
        #expect(result.status == 1 && result.output.isEmpty && result.errors.contains("changed meanwhile"), "\(result)")
    }

    @Test func fieldsOfTheItemAreOffered() throws {
        let fixture = try FakeCoffer(broker: [
            "List": [
                .answer(
                    Keychain.ItemsReply(items: [
                        Self.item([("secret", .secret), ("pin", .secret), ("-x", .secret)]),
                        FakeCoffer.item("plain", "a"),
                    ]))
            ]
        ])
        func words(_ words: String...) throws -> [String] {
            try fixture.program.run(["complete-words", "--"] + words).text.split(separator: "\n").map(String.init)
        }
        #expect(try words("get", "github", "me", "--field", "") == ["secret", "pin"])
        #expect(try words("get", "github/me", "--field=") == ["--field=secret", "--field=pin"])
        #expect(try words("edit", "github", "--unset", "") == ["secret", "pin"])
        #expect(try words("set", "plain", "a", "--file-field", "") == ["secret"])
        #expect(try words("get", "--field", "").isEmpty)
    }

    @Test func wrongUse() throws {
        let fixture = try FakeCoffer()
        for arguments in [
            ["get", "a", "b", "--all", "--field", "x"], ["get", "a", "b", "--all", "--former", "3"],
            ["get", "a", "b", "--field", ""], ["get", "a", "b", "--field", "a\nb"],
            ["set", "a", "b", "--file-field", "x", "--field", "y"], ["set", "a", "b", "--file-field", "secret"],
            ["set", "a", "b", "--file-field", "x", "--generate"], ["set", "a", "b", "--field", "otp", "--generate"],
            ["edit", "a", "b", "--field", "x"], ["edit", "a", "b", "--unset", "x", "--require", "presence"],
            ["edit", "a", "b", "--unset", "x", "--value"],
        ] {
            #expect(try fixture.program.run(arguments).status == 64, "\(arguments)")
        }
    }
}
