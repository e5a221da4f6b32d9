import BrokerProtocol
import Foundation
import Item
import Testing

@testable import coffer_cli

/// Replacing a secret: a routine command must not cost the secret or its protection.
@Suite struct ReplacingTests {
    private static let threeDaysAgo = Int64(Date().timeIntervalSince1970 - 3 * 86_400) * 1000

    /// A broker that has the item.
    ///
    /// - Parameter former: what the values before took, the newest first.
    private func fixture(
        _ item: Keychain.Item = FakeCoffer.item(require: [.userPresence]), former: [Access] = []
    ) throws -> FakeCoffer {
        let versions = former.enumerated().map { index, access in
            Keychain.FormerVersion(
                version: Int64(former.count - index), set: Self.threeDaysAgo, access: access, until: .max)
        }
        return try FakeCoffer(broker: [
            "Show": [.answer(Keychain.ItemReply(item: item))], "Set": [FakeCoffer.stored(replaced: Self.threeDaysAgo)],
            "History": [.answer(Keychain.History.Reply(item: item, versions: versions))],
        ])
    }

    private func call(_ fixture: FakeCoffer) throws -> Keychain.Set {
        try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
    }

    @Test func whatIsNotNamedIsNotSent() throws {
        let fixture = try fixture()
        let result = try fixture.program.run("set", "github", "me", input: .bytes([1]))
        #expect(result.status == 0)
        #expect(result.errors == "Replaced github/me (set 3 days ago)\n")
        let call = try call(fixture)
        #expect(call.access == nil && call.label == nil && call.comment == nil && call.attributes == nil)
        #expect(call.expires == nil)
    }

    @Test func onlyWhatIsNamedIsSent() throws {
        var item = FakeCoffer.item(require: [.userPresence])
        item.attributes = ["keep": "1", "drop": "2", "change": "3"]
        let fixture = try fixture(item)
        let result = try fixture.program.run(
            "set", "github", "me", "--this-device-only", "--attribute", "drop=", "--attribute", "change=4",
            "--expires", "never", input: .bytes([1]))
        #expect(result.status == 0)
        let call = try call(fixture)
        #expect(call.access == .init(thisDeviceOnly: true))
        #expect(call.attributes == ["keep": "1", "change": "4"])
        #expect(call.expires == 0)
    }

    /// Without a terminal, somebody wrote the option into a script on purpose. The warning still comes, and before the
    /// change.
    @Test func weakeningIsSaid() throws {
        let fixture = try fixture()
        let result = try fixture.program.run("set", "github", "me", "--require", "none", "-q", input: .bytes([1]))
        #expect(result.status == 0)
        #expect(
            result.errors
                == "coffer: warning: this makes github/me easier to read: it requires presence, and would then require nothing\n"
        )
        #expect(try call(fixture).access == .init(require: [], any: false))
    }

    @Test(arguments: [("y\r", Int32(0), 1), ("\r", 1, 0), ("n\r", 1, 0), ("\u{3}", 128 + SIGINT, 0)])
    func weakeningAsksAtATerminal(typed: String, status: Int32, calls: Int) throws {
        let fixture = try fixture()
        let value = Program.Turn(wait: "Secret for", type: "one\r")
        let again = Program.Turn(wait: "Once more: ", type: "one\r")
        let result = try fixture.program.run(
            "set", "github", "me", "--require", "none", input: .terminal,
            turns: [.init(wait: "[y/N] ", type: typed)] + (calls == 0 ? [] : [value, again]))
        #expect(result.status == status)
        #expect(fixture.broker.calls("Set").count == calls)
    }

    @Test func forceDoesNotAsk() throws {
        let fixture = try fixture()
        let result = try fixture.program.run(
            "set", "github", "me", "--require", "none", "-f", input: .terminal,
            turns: [.init(wait: "Secret for", type: "one\r"), .init(wait: "Once more: ", type: "one\r")])
        #expect(result.status == 0)
        #expect(result.errors.contains("easier to read"))
    }

    /// Attacker 4: a program of the user has replaced the secret, and then once more, by values that require nothing.
    private func lowered() throws -> FakeCoffer {
        try fixture(FakeCoffer.item(), former: [.whenUnlocked, .whenUnlocked.requiring(.userPresence)])
    }

    @Test func aLoweredAccessControlIsNotKeptSilently() throws {
        let said =
            "coffer: warning: github/me was harder to read before: a former value requires presence, "
            + "and the new one would then require nothing; to have that again, use --require presence\n"
        let piped = try lowered()
        let result = try piped.program.run("set", "github", "me", "-q", input: .bytes([1]))
        #expect(result.status == 0 && result.errors == said, "\(result.errors)")
        for typed in ["\r", "n\r"] {
            let asked = try lowered()
            let answer = try asked.program.run(
                "set", "github", "me", input: .terminal, turns: [.init(wait: "Go on? [y/N] ", type: typed)])
            #expect(answer.status == 1 && asked.broker.calls("Set").isEmpty)
        }
    }

    @Test(arguments: [["--require", "none"], ["--require", "presence"]])
    func whatIsNamedIsNotJudgedByFormerValues(options: [String]) throws {
        let fixture = try lowered()
        let result = try fixture.program.run(["set", "github", "me", "-q"] + options, input: .bytes([1]))
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    }

    @Test func aKeptApplicationPasswordIsAskedFor() throws {
        let fixture = try fixture(FakeCoffer.item(require: [.applicationPassword]))
        let result = try fixture.program.run(
            "set", "github", "me", input: .bytes([1]),
            turns: [
                .init(wait: "New application password for github/me: ", type: "open\r"),
                .init(wait: "Once more: ", type: "open\r"),
            ])
        #expect(result.status == 0)
        #expect(try call(fixture).applicationPassword == Data("open".utf8).base64EncodedString())
    }

    typealias Access = AccessControl

    private static let weakenings: [(Access, Access, Bool)] = [
        (.whenUnlocked, .whenUnlocked, false), (.whenUnlocked, .whenUnlocked.requiring(.userPresence), false),
        (.whenUnlocked.requiring(.userPresence), .whenUnlocked, true),
        (.whenUnlocked.requiring(.userPresence), .whenUnlocked.requiring(.devicePasscode), false),
        (.whenUnlocked.requiring(.userPresence), .whenUnlocked.requiring(.applicationPassword), true),
        (.whenUnlocked.requiring(.devicePasscode), .whenUnlocked.requiring(.userPresence), true),
        (.whenUnlocked.requiring(.biometryAny), .whenUnlocked.requiring(.biometryCurrentSet), false),
        (.whenUnlocked.requiring(.biometryCurrentSet), .whenUnlocked.requiring(.biometryAny), true),
        (
            .whenUnlocked.requiring(.devicePasscode, .applicationPassword),
            .whenUnlocked.requiringAny(of: .devicePasscode, .applicationPassword), true
        ),
        (
            .whenUnlocked.requiringAny(of: .devicePasscode, .applicationPassword),
            .whenUnlocked.requiring(.devicePasscode), false
        ),
        (
            .whenUnlocked.requiring(.devicePasscode),
            .whenUnlocked.requiringAny(of: .devicePasscode, .applicationPassword), true
        ),
        (
            .whenUnlocked.requiring(.devicePasscode), .whenUnlocked.requiring(.devicePasscode, .applicationPassword),
            false
        ),
        (.whenUnlocked, .afterFirstUnlock, true),
        (.afterFirstUnlock, .always, true),
        (.always, .passcodeSet, false),
        (.passcodeSet, .whenUnlocked.thisDeviceOnly, true),
        (.whenUnlocked.thisDeviceOnly, .whenUnlocked, true), (.whenUnlocked, .whenUnlocked.thisDeviceOnly, false),
    ]

    @Test(arguments: weakenings)
    func whatIsWeaker(former: Access, new: Access, isWeaker: Bool) {
        #expect((AccessWeakening(from: former, to: new) != nil) == isWeaker)
    }

    @Test(arguments: [[], ["--trim"]])
    func anEmptyPipeStoresNothing(options: [String]) throws {
        let fixture = try fixture()
        let result = try fixture.program.run(
            ["set", "github", "me"] + options, input: .bytes(options.isEmpty ? [] : [10]))
        #expect(result.status == 1)
        #expect(result.errors.contains("standard input was empty, so nothing was stored"))
        #expect(fixture.broker.calls("Set").isEmpty)
        let meant = try fixture.program.run(["set", "github", "me", "--allow-empty"], input: .bytes([]))
        #expect(meant.status == 0)
        #expect(try call(fixture).value.isEmpty)
    }

    @Test func nothingTypedStoresNothing() throws {
        let fixture = try fixture()
        let result = try fixture.program.run(
            "set", "github", "me", input: .terminal, turns: [.init(wait: "Secret for", type: "\r")])
        #expect(result.status == 1)
        #expect(result.errors.contains("nothing was typed"))
        let empty: [Program.Turn] = [.init(wait: "Secret for", type: "\r"), .init(wait: "Once more: ", type: "\r")]
        #expect(
            try fixture.program.run("set", "github", "me", "--allow-empty", input: .terminal, turns: empty).status == 0)
        #expect(fixture.broker.calls("Set").count == 1)
    }
}
