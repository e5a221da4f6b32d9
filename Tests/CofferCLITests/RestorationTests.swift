import BrokerProtocol
import Foundation
import HelperProtocol
import TestSupport
import Testing

@testable import coffer_cli

/// What `coffer recovery restore` does with the items of an old vault's file. It replaces nothing unasked, and loosens nothing. The helper that opens
/// the file is a script, beside a copy of `coffer`.
@Suite struct RestorationTests {
    private static func item(
        _ account: String, accessibility: String = "when-unlocked", thisDeviceOnly: Bool = false,
        require: [String] = [], kind: String? = nil, expires: UInt64? = nil, fields: [String] = ["secret"],
        fieldKind: String = "secret"
    ) -> OldVault.Item {
        OldVault.Item(
            service: "github", account: account, kind: kind, label: nil, comment: nil, attributes: [:],
            expires: expires, accessibility: accessibility, thisDeviceOnly: thisDeviceOnly, require: require,
            any: false, fields: fields.map { OldVault.Field(name: $0, kind: fieldKind) })
    }

    /// A broker, and a helper that has these items.
    /// - Parameters:
    ///   - present: what the vault has, with the values that nobody is asked for.
    ///   - reading: how reading these ends; nil if it succeeds.
    private func fixture(
        _ items: [OldVault.Item], set: FakeServer.Step = FakeCoffer.stored(),
        present: [(item: Keychain.Item, value: String?)] = [], reading: FakeServer.Step? = nil
    ) throws -> FakeCoffer {
        let values = present.compactMap { one in one.value.map { Keychain.ItemValue(value: $0, item: one.item) } }
        var fixture = try FakeCoffer(broker: [
            "Exists": [.answer(Keychain.Exists.Reply(exists: !present.isEmpty))], "Set": [set], "Apply": [set],
            "List": [.answer(Keychain.ItemsReply(items: present.map(\.item)))],
            "GetAll": [reading ?? .answer(Keychain.GetAll.Reply(items: values))],
        ])
        let scratch = fixture.scratch
        let opening = try JSONEncoder().encode(OldVault.Opening(items: items)) + Data("\n".utf8)
        try opening.write(to: URL(filePath: scratch.file("opening")))
        try scratch.program(
            "cofferd",
            """
            #!/bin/sh
            env >\(scratch.file("environment"))
            read -r code
            cat \(scratch.file("opening"))
            while read -r numbers; do echo '{"value":"dw=="}'; done
            """)
        try Data("SQLite format 3\0CREATE TABLE header (".utf8).write(to: URL(filePath: scratch.file("old.vault")))
        try Script.copy(Program.path, to: scratch.file("coffer"))
        fixture.program.executable = scratch.file("coffer")
        return fixture
    }

    /// - Parameter turns: what a person at a terminal types; nil without one.
    private func restore(
        _ fixture: FakeCoffer, _ options: [String] = [], turns: [Program.Turn]? = nil
    ) throws -> Program.Result {
        try fixture.program.run(
            ["recovery", "restore", fixture.scratch.file("old.vault")] + options,
            input: .bytes(Array("code\n".utf8)), turns: turns)
    }

    /// The first word of each line: what became of the items.
    private func outcomes(_ result: Program.Result) -> [String] {
        result.text.split(separator: "\n").map { line in String(line.prefix { $0 != " " }) }
    }

    /// Another program stores a secret of this name between the look and the restoration.
    @Test(arguments: [["secret"], ["secret", "pin"]]) func whatComesMeanwhileIsNotReplaced(fields: [String]) throws {
        let fixture = try fixture([Self.item("me", fields: fields)], set: .fault(.alreadyExists, "taken"))
        let result = try restore(fixture)
        #expect(result.status == 1 && outcomes(result) == ["kept"], "\(result)")
        let sets = try fixture.broker.calls("Set").map { try $0.parameters(Keychain.Set.self)?.mode }
        let batches = try fixture.broker.calls("Apply").map {
            try $0.parameters(Keychain.Apply.self)?.changes.first?.mode
        }
        let modes = sets + batches
        #expect(modes.count == 1 && modes.allSatisfy { $0 == .new })
    }

    /// Codes, passphrases and values go through the helper. What it frees is overwritten, and the rest of its environment is the caller's.
    @Test func theHelperWipesItsMemory() throws {
        var fixture = try fixture([Self.item("me")])
        fixture.program.environment["SOMETHING"] = "else=here"
        #expect(try restore(fixture).status == 0)
        let lines = String(decoding: try fixture.scratch.contents("environment"), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        #expect(lines.contains("GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"), "\(lines)")
        #expect(lines.contains("SWIFT_BACKTRACE=enable=no") && lines.contains("SOMETHING=else=here"), "\(lines)")
    }

    /// A later version wrote the file. What this one does not know may be a requirement, so the item is not stored without it.
    @Test func whatIsNotKnownIsNotLeftOut() throws {
        let fixture = try fixture([
            Self.item("a", require: ["presence", "voice"]), Self.item("b", accessibility: "sometimes"),
            Self.item("c", kind: "wallet"), Self.item("d", fieldKind: "hologram"),
            Self.item("good", require: ["presence"]),
        ])
        let result = try restore(fixture)
        #expect(result.status == 1, "\(result)")
        #expect(outcomes(result) == ["refused", "refused", "refused", "refused", "restored"], "\(result)")
        let calls = try fixture.broker.calls("Set").map { try $0.parameters(Keychain.Set.self)?.account }
        #expect(calls == ["good"])
    }

    @Test func whatHasExpiredOrWasForItsDeviceStaysAway() throws {
        // In 1970, and in 2100.
        let fixture = try fixture([
            Self.item("a", expires: 1), Self.item("b", thisDeviceOnly: true),
            Self.item("c", expires: 4_102_444_800_000),
        ])
        let result = try restore(fixture)
        #expect(result.status == 0 && outcomes(result) == ["expired", "lost", "restored"], "\(result)")
        let calls = try fixture.broker.calls("Set").map { try $0.parameters(Keychain.Set.self) }
        #expect(calls.map { $0?.account } == ["c"] && calls.map { $0?.expires } == [4_102_444_800_000])
    }

    /// An application password that nobody can be asked for keeps only its own item away.
    @Test func withoutATerminalOnlyItemsWithAPasswordStayAway() throws {
        let fixture = try fixture([Self.item("a", require: ["app-password"]), Self.item("b")])
        let result = try restore(fixture)
        #expect(result.status == 1 && outcomes(result) == ["refused", "restored"], "\(result)")
        let reason = "it needs a new application password, but there is no terminal to ask at"
        #expect(result.text.contains(reason), "\(result)")
        let calls = try fixture.broker.calls("Set").map { try $0.parameters(Keychain.Set.self)?.account }
        #expect(calls == ["b"])
    }

    @Test func atATerminalTheNewPasswordIsAskedFor() throws {
        let fixture = try fixture([Self.item("a", require: ["app-password"]), Self.item("b")])
        let result = try restore(
            fixture,
            turns: [
                .init(wait: "New application password for github/a: ", type: "CANARY\r"),
                .init(wait: "Once more: ", type: "CANARY\r"),
            ])
        #expect(result.status == 0 && outcomes(result) == ["restored", "restored"], "\(result)")
        let calls = try fixture.broker.calls("Set").map { try $0.parameters(Keychain.Set.self) }
        #expect(calls.map { $0?.account } == ["a", "b"])
        #expect(calls.map { $0?.applicationPassword } == [Data("CANARY".utf8).base64EncodedString(), nil])
    }

    /// Who gives up at the question ends the whole, and not this one item.
    @Test func whoGivesUpAtAPasswordRestoresNothingMore() throws {
        let fixture = try fixture([Self.item("a", require: ["app-password"]), Self.item("b")])
        let result = try restore(
            fixture, turns: [.init(wait: "New application password for github/a: ", type: "\u{4}")])
        #expect(result.status == 4 && outcomes(result).isEmpty, "\(result)")
        #expect(result.errors.hasSuffix("coffer: cancelled; nothing was done\n"), "\(result)")
        #expect(fixture.broker.calls("Set").isEmpty)
    }

    @Test func whoGivesUpLearnsWhatWasDone() throws {
        let fixture = try fixture([Self.item("a"), Self.item("b", require: ["app-password"]), Self.item("c")])
        let result = try restore(
            fixture, turns: [.init(wait: "New application password for github/b: ", type: "\u{4}")])
        #expect(result.status == 4 && outcomes(result) == ["restored"], "\(result)")
        let said = "coffer: cancelled; what was restored stays; for the rest, run the command again\n"
        #expect(result.errors.hasSuffix("Restored 1 of 3 items\n\(said)"), "\(result)")
    }

    /// After an interruption, the command is run again. What it has done before is no failure then.
    @Test func whatIsThereAlreadyIsTheSame() throws {
        let again = try fixture([Self.item("a")], present: [(FakeCoffer.item("github", "a"), "dw==")])
        let done = try restore(again)
        #expect(done.status == 0 && outcomes(done) == ["same"], "\(done)")
        #expect(done.errors == "Restored 0 of 1 items; 1 there already\n")
        let others = try fixture(
            [Self.item("a"), Self.item("b"), Self.item("c"), Self.item("d", fields: ["secret", "pin"])],
            present: [
                (FakeCoffer.item("github", "a"), "dw=="), (FakeCoffer.item("github", "b"), "eA=="),
                (FakeCoffer.item("github", "c", require: [.userPresence]), nil),
                (FakeCoffer.item("github", "d"), "dw=="),
            ])
        let result = try restore(others)
        #expect(result.status == 1 && outcomes(result) == ["same", "kept", "kept", "kept"], "\(result)")
        #expect(result.text.contains("github/c  (guarded, so it was not compared)\n"), "\(result)")
        #expect(others.broker.calls("Set").isEmpty)
    }

    /// The items that need no finger are restored all the same. The guarded one stays as it is.
    @Test func aFingerThatCannotBeReadDoesNotEndIt() throws {
        let fixture = try fixture(
            [Self.item("a"), Self.item("b", thisDeviceOnly: true)],
            present: [(FakeCoffer.item("github", "a", require: [.biometryAny]), nil)],
            reading: .fault(.fingersChanged, "other fingers"))
        let result = try restore(fixture, turns: [])
        #expect(!fixture.broker.calls("GetAll").isEmpty)
        #expect(result.status == 1 && outcomes(result) == ["kept", "lost"], "\(result)")
        #expect(result.text.contains("github/a  (guarded, so it was not compared)\n"), "\(result)")
    }

    /// A program takes what was restored for done.
    @Test func aTrialSaysWhatItWouldDo() throws {
        struct Line: Decodable { var outcome: String }
        let fixture = try fixture([Self.item("a"), Self.item("b", thisDeviceOnly: true)])
        let result = try restore(fixture, ["--dry-run", "--json"])
        let lines = try JSONDecoder().decode([Line].self, from: Data(result.output))
        #expect(result.status == 0 && lines.map(\.outcome) == ["would restore", "lost"], "\(result)")
        #expect(fixture.broker.calls("Set").isEmpty)
    }

    @Test func aFileWithoutANameIsNamed() throws {
        let result = try FakeCoffer().program.run("recovery", "restore", "", input: .bytes([]))
        #expect(result.status == 64 && result.errors.contains("the file's name must not be empty"), "\(result)")
    }

    @Test(arguments: ["", "--json"]) func aReportThatCannotBeWrittenIsAFailure(option: String) throws {
        var fixture = try fixture([Self.item("me")])
        let words = "\(fixture.program.executable) recovery restore \(fixture.scratch.file("old.vault")) \(option)"
        fixture.program.executable = "/bin/sh"
        let result = try fixture.program.run("-c", "\(words) >/dev/full", input: .bytes(Array("code\n".utf8)))
        #expect(result.status == 1, "\(result)")
        #expect(result.errors.contains("cannot write to standard output"), "\(result)")
    }
}
