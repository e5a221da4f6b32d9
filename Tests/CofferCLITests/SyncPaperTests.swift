import BrokerProtocol
import Foundation
import HelperProtocol
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// `coffer sync paper` and `coffer sync restore`, with a fake broker.
@Suite struct SyncPaperTests {
    private static let paper = Sync.Paper(device: String(repeating: "ee", count: 16), made: 1_800_000_000_000)

    private static var withPaper: FakeServer.Step {
        .answer(
            Sync.State.Reply(
                circle: SyncFixture.circle, machines: [SyncFixture.machine("desk", own: true)], paper: paper,
                joined: true))
    }

    /// Nothing is agreed to, and nobody is asked, before the code has come back as it is.
    @Test func aCodeThatIsNotOnThePaperIsNotValid() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.shared], "AddPaper": [SyncFixture.done]])
        defer { fixture.remove() }
        let wrong = "PAPER-XHQS6-9JEQ4-DQCMD-45ZK6-8ZQAJ-XMJ57"
        // What is typed before a question is there is thrown away.
        let question = "The code, as it is on the paper: "
        let turns = [
            Program.Turn(wait: question, type: wrong + "\r"),
            Program.Turn(wait: "look again\r\n\(question)", type: "JOIN-" + wrong.dropFirst(6) + "\r"),
            Program.Turn(wait: "begins with PAPER; look again\r\n\(question)", type: "\r"),
        ]
        let result = try fixture.run("paper", turns: turns)
        #expect(result.status != 0 && result.screen.contains("not valid"), "\(result.screen)")
        #expect(fixture.fake.broker.calls("AddPaper").isEmpty)
        #expect(fixture.fake.authenticator.calls("Begin").isEmpty)
        // A program that writes back something else.
        let script = try fixture.fake.program.run("sync", "paper", "--script", input: .bytes(Array("\(wrong)\n".utf8)))
        #expect(script.status != 0 && script.text.hasPrefix("PAPER-"))
        #expect(fixture.fake.broker.calls("AddPaper").isEmpty)
    }

    @Test func aCodeIsShownOnATerminalOnly() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.shared]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "paper")
        #expect(result.status == 64 && result.errors.contains("--script") && result.output.isEmpty, "\(result.errors)")
    }

    @Test func thereIsOneCode() throws {
        let fixture = try SyncFixture(["State": [Self.withPaper]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "paper", "--script", input: .bytes([]))
        #expect(result.status == 10 && result.errors.contains("--again") && result.output.isEmpty, "\(result.errors)")
    }

    @Test func theCodeIsRemovedLikeAMachine() throws {
        let fixture = try SyncFixture(["State": [Self.withPaper], "Remove": [SyncFixture.done]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "remove", "paper")
        #expect(result.status == 0 && result.errors.contains("Removed the code on paper."), "\(result.errors)")
        #expect(result.errors.contains("coffer sync exposed eeeeeeee") && !result.errors.contains("Syncthing"))
        #expect(try fixture.removed() == [[Self.paper.device]])
    }

    @Test func itIsReleasedToLikeAMachine() throws {
        let item = Sync.Releasable(
            service: "bank", account: "me", machines: [Self.paper.device], signatures: 1)
        let fixture = try SyncFixture([
            "State": [Self.withPaper], "Releasables": [.answer(Sync.Releasables.Reply(items: [item], more: false))],
            "Release": [SyncFixture.done],
        ])
        defer { fixture.remove() }
        let status = try fixture.fake.program.run("sync", "status")
        #expect(status.text.contains("1 secret that requires you is not on it yet"), "\(status.text)")
        let result = try fixture.fake.program.run("sync", "release")
        #expect(result.status == 0 && result.errors.contains("Released 1 secret to paper"), "\(result.errors)")
        let calls = try fixture.fake.broker.calls("Release").map { try $0.parameters(Sync.Release.self)?.devices }
        #expect(calls == [[Self.paper.device]])
    }

    @Test func whatCannotBeRestoredFromIsNamedBeforeACodeIsRead() throws {
        let shared = try SyncFixture(["State": [SyncFixture.shared]])
        defer { shared.remove() }
        let member = try shared.fake.program.run("sync", "restore", shared.folder)
        #expect(member.status == 10 && member.errors.contains("shares its secrets already"), "\(member.errors)")
        let argument = try shared.fake.program.run("sync", "restore", shared.folder, "PAPER-X")
        #expect(argument.status == 64 && argument.errors.contains("never pass the code as an argument"))
        let alone = try SyncFixture(["State": [SyncFixture.alone]])
        defer { alone.remove() }
        let missing = try alone.fake.program.run("sync", "restore", alone.folder + "/none")
        #expect(missing.status == 3, "\(missing.errors)")
        for (code, words) in [
            ("", "begins with PAPER"), ("XHQS6-9JEQ4-DQCMD-45ZK6-8ZQAJ-XMJ57", "begins with PAPER"),
            ("PAPER-XHQS6", "and should have 30"), ("PAPER-XHQS6-9JEQ4-DQCMD-45ZK6-8ZQAJ-XMJ5U", "no code has"),
        ] {
            let wrong = try alone.fake.program.run(
                "sync", "restore", alone.folder, "--yes", input: .bytes(Array(code.utf8)))
            #expect(wrong.status == 64 && wrong.errors.contains(words), "\(wrong.errors)")
        }
    }

    /// Attacker 11. A person who is told that the code opens nothing throws the right one away.
    @Test func aCodeIsNotBlamedForWhatIsInTheWay() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.alone]])
        defer { fixture.remove() }
        let code = Array("PAPER-70K3B-J9JBF-SJEF8-SBZRV-H92EB-TXF55\n".utf8)
        try fixture.put([1], SyncFixture.head)
        let wrong = try fixture.fake.program.run("sync", "restore", fixture.folder, "--dry-run", input: .bytes(code))
        #expect(wrong.status != 0 && wrong.errors.contains("it opens nothing in"), "\(wrong.errors)")
        for number in 0..<1025 {
            try fixture.put([], "\(SyncFixture.circle)/heads/\(String(format: "%032x", number + 7))")
        }
        let unknown = try fixture.fake.program.run("sync", "restore", fixture.folder, "--dry-run", input: .bytes(code))
        #expect(unknown.status == 1 && unknown.errors.contains("keep the code"), "\(unknown.errors)")
        #expect(!unknown.errors.contains("opens nothing"), "\(unknown.errors)")
    }

    @Test func theDatesAreShownFirst() {
        let opening = PaperStore.Opening(
            machines: [
                .init(device: "01", name: "desk", member: true, newest: 1_800_000_000_123),
                .init(device: "0202020202", name: nil, member: false, newest: nil),
            ], contested: 2, incomplete: true)
        let lines = SyncRestoreCommand.description(of: opening)
        #expect(lines[0] == "These machines have shared 0 secrets:")
        #expect(lines[1] == "  desk  newest of 2027-01-15T08:00:00.123Z")
        #expect(lines[2] == "  machine 02020202  nothing is there  (no longer among them)")
        #expect(lines[3].contains("can have left out what is newer"))
        #expect(lines[4].contains("missing") && lines[5].contains("2 things were changed"))
        #expect(SyncRestoreCommand.description(of: .init(machines: opening.machines)).count == 4)
    }
}
