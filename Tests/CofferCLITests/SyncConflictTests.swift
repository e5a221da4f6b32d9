import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// Conflicts as the broker lists them.
extension SyncFixture {
    static let id = FakeCoffer.item().id

    static func revision(
        _ number: Int, _ machine: String?, shown: Bool = false, device: String = lap, text: String? = nil,
        unreadable: Bool = false, same: String? = nil
    ) -> Sync.Revision {
        .init(
            id: String(repeating: String(format: "%02x", number), count: 32), device: device, machine: machine,
            time: 1_800_000_000_000 + Int64(number), shown: shown, text: text, unreadable: unreadable, same: same)
    }

    static func conflict(
        _ part: String = "field", _ name: String? = "secret", _ revisions: [Sync.Revision] = shownAndKept,
        beyond: Int64 = 0
    ) -> Sync.Conflict {
        .init(
            item: id, service: "github", account: "me", kind: .genericPassword, part: part, name: name,
            revisions: revisions, beyond: beyond)
    }

    static let shownAndKept = [revision(1, "lap", shown: true), revision(2, "desk", device: device)]

    static func listed(_ conflicts: Sync.Conflict..., next: String? = nil) -> FakeServer.Step {
        .answer(Sync.Conflicts.Reply(conflicts: conflicts, next: next))
    }

    static func resolved(_ fields: String...) -> FakeServer.Step { .answer(Sync.Resolve.Reply(fields: fields)) }

    /// - Parameter conflicts: what each call for a list answers.
    static func inConflict(
        _ conflicts: FakeServer.Step..., more: [String: [FakeServer.Step]] = [:]
    ) throws -> SyncFixture {
        try SyncFixture(
            [
                "State": [three], "Conflicts": conflicts, "Resolve": [resolved()],
                "Show": [.answer(Keychain.ItemReply(item: FakeCoffer.item()))],
                "Exists": [.answer(Keychain.Exists.Reply(exists: false))],
            ].merging(more) { $1 })
    }
}

/// `coffer sync conflicts`
@Suite struct SyncConflictsTests {
    @Test func eachRevisionHasALine() throws {
        let fixture = try SyncFixture.inConflict(
            SyncFixture.listed(SyncFixture.conflict(), next: "0a"),
            SyncFixture.listed(
                SyncFixture.conflict(
                    "attribute", "host",
                    [
                        SyncFixture.revision(3, "lap", shown: true, text: "a\nb"),
                        SyncFixture.revision(4, nil, device: SyncFixture.server, text: "c", same: "x"),
                    ]),
                SyncFixture.conflict(
                    "field", "pin",
                    [
                        SyncFixture.revision(5, "lap", shown: true, unreadable: true), SyncFixture.revision(6, "lap"),
                    ])))
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "conflicts")
        #expect(result.status == 0, "\(result.errors)")
        let rows = result.text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        #expect(rows[0] == ["SECRET", "PART", "MACHINE", "CHANGED", "STATE", "TEXT"])
        #expect(rows[1] == ["github/me", "secret", "lap", "2027-01-15T08:00:00.001Z", "shown", "-"])
        #expect(rows[2][2...] == ["desk", "2027-01-15T08:00:00.002Z", "kept", "-"])
        // What a machine has written steers no terminal and makes no line.
        #expect(rows[3][1] == "attribute host" && rows[3][5] == #"a\nb"#)
        #expect(rows[4][2] == "machine 03030303" && rows[4][4] == "the same")
        // Two of one machine are told apart.
        #expect(rows[5][2...] == ["lap (05050505)", "2027-01-15T08:00:00.005Z", "shown, does not open here", "-"])
        #expect(rows[6][2] == "lap (06060606)" && rows.count == 7)
        let calls = try fixture.fake.broker.calls("Conflicts").map { try $0.parameters(Sync.Conflicts.self)?.after }
        #expect(calls == [nil, "0a"])
        #expect(fixture.fake.broker.calls("Get").isEmpty)
    }

    @Test func withoutConflictsThereIsNothing() throws {
        let fixture = try SyncFixture.inConflict(SyncFixture.listed())
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "conflicts")
        #expect(result.status == 0 && result.text.isEmpty && result.errors.isEmpty)
        #expect(try fixture.fake.program.run("sync", "conflicts", "--json").text == "[\n\n]\n")
        #expect(try fixture.run("conflicts", turns: []).screen.contains("No conflicts"))
    }

    /// Each value is read like any other.
    @Test func valuesAreReadOneByOne() throws {
        let (lap, desk) = (Array("7uJ".utf8), Array("pG2\nline".utf8))
        let fixture = try SyncFixture.inConflict(
            SyncFixture.listed(
                SyncFixture.conflict(
                    "field", "pin",
                    SyncFixture.shownAndKept + [
                        SyncFixture.revision(3, "spare", unreadable: true),
                        SyncFixture.revision(4, "phone", same: SyncFixture.shownAndKept[0].id),
                    ]), SyncFixture.conflict("label", nil)),
            more: ["Get": [FakeCoffer.value(lap), FakeCoffer.value(desk)]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "conflicts", "github", "me", "--values", "--reason", "why")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.hasSuffix("\npin of lap: 7uJ\npin of desk:\n  pG2\n  line\n"), "\(result.text)")
        let reads = try fixture.fake.broker.calls("Get").map { try #require(try $0.parameters(Keychain.Get.self)) }
        #expect(reads.map(\.revision) == SyncFixture.shownAndKept.map(\.id))
        #expect(reads.allSatisfy { $0.field == "pin" && $0.account == "me" && $0.reason == "why" && $0.unlock == nil })
        let listed = try fixture.fake.broker.calls("Conflicts").map { try $0.parameters(Sync.Conflicts.self)?.item }
        #expect(listed == [SyncFixture.id])
    }

    @Test func jsonHasEverything() throws {
        let fixture = try SyncFixture.inConflict(
            SyncFixture.listed(SyncFixture.conflict(beyond: 3)),
            more: ["Get": [FakeCoffer.value([255]), FakeCoffer.value(Array("x".utf8))]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "conflicts", "github", "me", "--values", "--json")
        let found = try #require(
            try (JSONSerialization.jsonObject(with: Data(result.text.utf8)) as? [[String: Any]])?.first)
        let revisions = try #require(found["revisions"] as? [[String: Any]])
        #expect(found["part"] as? String == "field" && found["name"] as? String == "secret")
        #expect(found["beyond"] as? Int == 3 && found["item"] as? String == SyncFixture.id)
        #expect(revisions.map { $0["machine"] as? String } == ["lap", "desk"])
        #expect(revisions.map { $0["shown"] as? Bool } == [true, false])
        #expect(revisions[0]["value"] == nil && revisions[0]["valueBase64"] as? String == "/w==")
        #expect(revisions[1]["value"] as? String == "x")
    }

    /// A value that a terminal would obey is not shown there.
    @Test func aTerminalIsNotSteered() throws {
        let fixture = try SyncFixture.inConflict(
            SyncFixture.listed(SyncFixture.conflict()),
            more: ["Get": [FakeCoffer.value(Array("\u{1B}[2J".utf8)), FakeCoffer.value([1])]])
        defer { fixture.remove() }
        let shown = try fixture.run("conflicts", "github", "me", "--values", turns: [])
        #expect(
            shown.screen.contains("secret of lap: (4 bytes, not shown here; read it with --json)"), "\(shown.screen)")
    }
}

/// `coffer sync resolve`
@Suite struct SyncResolveTests {
    private func calls(_ fixture: SyncFixture) throws -> [Sync.Resolve?] {
        try fixture.fake.broker.calls("Resolve").map { try $0.parameters(Sync.Resolve.self) }
    }

    @Test(arguments: [
        ("desk", 1), ("02020202", 0), ("0101010101010101", 1), (SyncFixture.shownAndKept[0].id, 0), ("lap", 0),
        (String(repeating: "02", count: 32), 1),
    ])
    func aMachineIsTaken(_ word: String, _ place: Int) throws {
        // The revisions' ids begin with 01… and 02…, the devices' with 02… and 01…
        let fixture = try SyncFixture.inConflict(SyncFixture.listed(SyncFixture.conflict()))
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "resolve", "github", "me", "--take", word)
        guard !["02020202", "0101010101010101"].contains(word) else {
            // It can be the one machine's id, or the other's value.
            #expect(result.status == 3 && result.errors.contains("can be several"), "\(result.errors)")
            return
        }
        #expect(result.status == 0, "\(result.errors)")
        let taken = SyncFixture.shownAndKept[place].id
        let made = try calls(fixture)
        #expect(made.count == 1 && made[0]?.item == SyncFixture.id && made[0]?.take == taken && made[0]?.both == nil)
        #expect(made[0]?.part == "field" && made[0]?.name == "secret")
        #expect(result.errors.contains("github/me, secret: what \(place == 0 ? "lap" : "desk") has set counts"))
        #expect(result.errors.contains("coffer sync now"))
    }

    /// A machine that calls itself like another one, or like another one's id, is not taken for it.
    @Test func anotherMachinesNameIsNoNameOfItsOwn() throws {
        let (first, second) = (SyncFixture.lap, SyncFixture.server)
        for name in ["lap", "02020202", first] {
            let choice = RevisionChoice(revisions: [
                SyncFixture.revision(5, "lap", shown: true), SyncFixture.revision(6, name, device: second),
            ])
            #expect(try choice.chosen(first).device == first && choice.chosen(second).device == second)
            if name != first { #expect(throws: KeychainError(.ambiguous, "")) { try choice.chosen(name) } }
            for (shown, revision) in zip(choice.shown, choice.revisions) where shown.hasSuffix(")") {
                #expect(try choice.chosen(shown).id == revision.id)
            }
        }
        // Two of one machine have two ids.
        let twice = RevisionChoice(revisions: [SyncFixture.revision(5, "lap"), SyncFixture.revision(6, "lap")])
        #expect(throws: KeychainError(.ambiguous, "")) { try twice.chosen("lap") }
        #expect(throws: KeychainError(.ambiguous, "")) { try twice.chosen(first) }
        #expect(try twice.chosen("06060606").id == twice.revisions[1].id)
        #expect(try twice.chosen("lap (05050505)").id == twice.revisions[0].id)
    }

    /// A shell offers the secrets, their fields and the machines.
    @Test func wordsAreOffered() throws {
        var item = FakeCoffer.item()
        item.fields = [.init(name: "pin", kind: .text, set: 1)]
        let fixture = try SyncFixture.inConflict(
            SyncFixture.listed(), more: ["List": [.answer(Keychain.ItemsReply(items: [item]))]])
        defer { fixture.remove() }
        for (words, offered) in [
            (["conflicts", ""], "github\n"), (["resolve", "github", ""], "me\n"),
            (["resolve", "github", "me", "--take", ""], "desk\nlap\nserver\n"),
            (["resolve", "github", "me", "--field", ""], "pin\n"),
        ] {
            let result = try fixture.fake.program.run(["complete-words", "--", "sync"] + words)
            #expect(result.text == offered, "\(words) \(result.errors)")
        }
    }

    @Test func bothAreKeptAndNamed() throws {
        let fixture = try SyncFixture.inConflict(
            SyncFixture.listed(SyncFixture.conflict()), more: ["Resolve": [SyncFixture.resolved("secret-desk")]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "resolve", "github", "me", "--both")
        #expect(result.status == 0 && result.errors.contains("Kept as the field secret-desk"), "\(result.errors)")
        let quiet = try fixture.fake.program.run(
            "sync", "resolve", "github", "me", "--both", "--take", "desk", "--quiet")
        #expect(quiet.status == 0 && quiet.errors.isEmpty && quiet.text.isEmpty)
        let made = try calls(fixture)
        #expect(made.map { $0?.both } == [true, true])
        #expect(made.map { $0?.take } == SyncFixture.shownAndKept.map(\.id))
    }

    @Test func thePartIsTheOnlyOneOrNamed() throws {
        let fixture = try SyncFixture.inConflict(
            SyncFixture.listed(
                SyncFixture.conflict("field", "secret"), SyncFixture.conflict("label", nil),
                SyncFixture.conflict("attribute", "host")))
        defer { fixture.remove() }
        let open = try fixture.fake.program.run("sync", "resolve", "github", "me", "--take", "desk")
        #expect(open.status == 3 && open.errors.contains("secret, (label), attribute host"), "\(open.errors)")
        for (words, part, name) in [
            (["--field", "secret"], "field", "secret"), (["--part", "label"], "label", nil),
            (["--part", "attribute:host"], "attribute", "host"),
        ] as [([String], String, String?)] {
            let result = try fixture.fake.program.run(["sync", "resolve", "github", "me", "--take", "desk"] + words)
            #expect(result.status == 0, "\(result.errors)")
            let call = try #require(try calls(fixture).last ?? nil)
            #expect(call.part == part && call.name == name)
        }
        let none = try fixture.fake.program.run("sync", "resolve", "github", "me", "--take", "desk", "--field", "pin")
        #expect(none.status == 3 && none.errors.contains("pin of github/me is in no conflict"), "\(none.errors)")
        let nobody = try fixture.fake.program.run(
            "sync", "resolve", "github", "me", "--take", "x", "--part", "label")
        #expect(nobody.status == 3 && nobody.errors.contains("there are those of: lap, desk"), "\(nobody.errors)")
    }

    @Test func somebodyElseHasDecided() throws {
        let fixture = try SyncFixture.inConflict(
            SyncFixture.listed(SyncFixture.conflict()),
            more: [
                "Resolve": [
                    .fault(
                        .changed,
                        .init(message: "this is no longer one of several", advice: "see: coffer sync conflicts"))
                ]
            ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "resolve", "github", "me", "--take", "desk")
        #expect(result.status == 1 && result.errors.contains("no longer one of several"), "\(result.errors)")
    }
}
