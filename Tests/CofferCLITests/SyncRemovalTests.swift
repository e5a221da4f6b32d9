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

/// A circle of three machines, and one that this machine has left.
extension SyncFixture {
    static let lap = String(repeating: "02", count: 16)
    static let server = String(repeating: "03", count: 16)
    static let head = "\(circle)/heads/\(device)"

    static func named(_ device: String, _ name: String?) -> Sync.Machine {
        .init(device: device, name: name, role: "admin", own: false, forked: false)
    }

    static func state(_ others: [Sync.Machine], joined: Bool = true) -> FakeServer.Step {
        .answer(
            Sync.State.Reply(
                circle: circle, machines: (joined ? [machine("desk", own: true)] : []) + others, joined: joined))
    }

    static var three: FakeServer.Step { state([named(lap, "lap"), named(server, "server")]) }
    static var gone: FakeServer.Step { state([named(lap, "lap")], joined: false) }
    static var asked: FakeServer.Step { FakeCoffer.personNeeded([.removeFromCircle]) }
    static var done: FakeServer.Step { .answer(Nothing()) }
    static var nothingToGive: FakeServer.Step { .answer(Sync.Give.Reply(files: [], more: false)) }
    static var givesHead: FakeServer.Step {
        .answer(Sync.Give.Reply(files: [.init(path: head, content: Base64.encode([9]))], more: false))
    }

    static func setting(_ text: String) -> FakeServer.Step {
        FakeCoffer.value(Array(text.utf8), FakeCoffer.item("org.coffer.sync", circle))
    }

    /// The devices of each call to remove some.
    func removed() throws -> [[String]?] {
        try fake.broker.calls("Remove").map { try $0.parameters(Sync.Remove.self)?.devices }
    }

    func settings() throws -> [String?] {
        try fake.broker.calls("Set").map { call in
            try call.parameters(Keychain.Set.self).map { set in
                String(decoding: Base64.decode(set.value) ?? [], as: UTF8.self)
            }
        }
    }
}

/// `coffer sync remove`
@Suite struct SyncRemoveTests {
    @Test func lostMachinesAreRemovedWithOneQuestion() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.three], "Remove": [SyncFixture.asked, SyncFixture.done],
            "Give": [SyncFixture.nothingToGive, SyncFixture.givesHead],
        ])
        defer { fixture.remove() }
        let result = try fixture.run("remove", "lap", "03030303", "lap", turns: [SyncFixture.password])
        #expect(result.status == 0, "\(result.screen)")
        #expect(result.screen.contains("Removed lap, server. They keep the secrets that they have"))
        #expect(result.screen.contains("change the secrets") && result.screen.contains("in Syncthing"))
        #expect(try fixture.removed() == .init(repeating: [SyncFixture.lap, SyncFixture.server], count: 2))
        let challenges = try fixture.fake.broker.calls("Remove").map { try $0.parameters(Sync.Remove.self)?.challenge }
        #expect(challenges == [nil, "c1"])
        #expect(fixture.fake.authenticator.calls("Begin").count == 1)
        // One exchange before, and one that writes the removal.
        #expect(fixture.fake.broker.calls("Take").count == 2 && fixture.file(SyncFixture.head) == [9])
    }

    /// Only the exchange tells that the machine has joined, or what it is called.
    @Test func theNewestStateDecides() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.shared, SyncFixture.shared, SyncFixture.three], "Remove": [SyncFixture.done],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "remove", "server", "--quiet")
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result.errors)")
        #expect(try fixture.removed() == [[SyncFixture.server]])
    }

    @Test func whatNamesNoMachineRemovesNone() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.three], "Remove": [SyncFixture.done]])
        defer { fixture.remove() }
        for word in ["lapp", "la", "Lap", "0202020", "0303030303030304", "\u{1B}[2J"] {
            let result = try fixture.fake.program.run("sync", "remove", "server", word)
            #expect(result.status == 3 && result.errors.contains("lap (02020202); server (03030303)"), "\(word)")
            #expect(!result.errors.contains("\u{1B}"))
        }
        for word in ["desk", "01010101", SyncFixture.device] {
            let own = try fixture.fake.program.run("sync", "remove", "lap", word)
            #expect(own.status == 64 && own.errors.contains("coffer sync leave"), "\(own.errors)")
        }
        #expect(fixture.fake.broker.calls("Remove").isEmpty)
    }

    /// A machine that makes the broker refuse to give anything out is removed all the same.
    @Test func whoDoesHarmIsRemoved() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.three], "Remove": [SyncFixture.done],
            "Give": [.fault(.invalidArgument, "bad keys"), SyncFixture.givesHead],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "remove", "lap")
        #expect(result.status == 0 && result.errors.contains("warning: bad keys"), "\(result.errors)")
        #expect(try fixture.removed() == [[SyncFixture.lap]] && fixture.file(SyncFixture.head) == [9])
    }

    /// Attackers 10 and 11: who writes to the folder can make each exchange fail, and would stay among the others.
    @Test func whoMakesTheExchangeFailIsRemoved() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.three], "Remove": [SyncFixture.done]])
        defer { fixture.remove() }
        try fixture.put([], "\(SyncFixture.circle)/x")
        try FileManager.default.createSymbolicLink(
            atPath: "\(fixture.folder)/\(SyncFixture.circle)/heads", withDestinationPath: "/tmp")
        let result = try fixture.fake.program.run("sync", "remove", "lap")
        #expect(result.status == 1 && result.errors.contains("warning: "), "\(result.errors)")
        #expect(try fixture.removed() == [[SyncFixture.lap]])
        #expect(
            result.errors.contains("do not know of the removal yet. Once the error is mended, run: coffer sync now"))
    }

    @Test func aRemovalThatIsNotWrittenIsTold() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.three], "Remove": [SyncFixture.done],
            "Give": [SyncFixture.nothingToGive, .fault(.failed, "no")],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "remove", "lap")
        #expect(result.status == 1 && result.errors.contains("Removed lap. It keeps"), "\(result.errors)")
        #expect(
            result.errors.contains("do not know of the removal yet. Once the error is mended, run: coffer sync now"))
    }

    @Test func nobodyIsRemovedWithoutAPerson() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.three], "Remove": [SyncFixture.asked, SyncFixture.done],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "remove", "lap", "--no-prompt")
        #expect(result.status == 4 && result.errors.contains("coffer sync remove lap"), "\(result.errors)")
        #expect(fixture.fake.broker.calls("Remove").count == 1 && fixture.fake.broker.calls("Withdraw").count == 1)
        #expect(fixture.fake.broker.calls("Take").count == 1)
    }

    private static func heard(_ days: Double?, _ device: String, _ name: String) -> Sync.Machine {
        var machine = SyncFixture.named(device, name)
        machine.heard = days.map { Moment.now.milliseconds - Int64($0 * 86_400_000) }
        return machine
    }

    private static let new = String(repeating: "04", count: 16)

    /// A machine that nothing was heard of yet may have come just now.
    @Test func silentMachinesAreRemoved() throws {
        let state = SyncFixture.state([
            Self.heard(31, SyncFixture.lap, "lap"), Self.heard(29, SyncFixture.server, "server"),
            Self.heard(nil, Self.new, "new"),
        ])
        let fixture = try SyncFixture(["State": [state], "Remove": [SyncFixture.asked, SyncFixture.done]])
        defer { fixture.remove() }
        let asked = try fixture.fake.program.run("sync", "remove", "--silent", "30d", "--no-prompt")
        #expect(asked.status == 4 && asked.errors.contains("coffer sync remove --silent 30d"), "\(asked.errors)")
        let result = try fixture.fake.program.run("sync", "remove", "--silent", "30d")
        #expect(result.status == 0 && result.errors.contains("Removed lap. It keeps"), "\(result.errors)")
        #expect(try fixture.removed() == [[SyncFixture.lap], [SyncFixture.lap]])
        let none = try fixture.fake.program.run("sync", "remove", "--silent", "768h")
        #expect(none.status == 0 && none.errors.contains("None was removed"), "\(none.errors)")
        #expect(fixture.fake.broker.calls("Remove").count == 2)
    }

    /// Attacker 10: who keeps the folder can hide all signs of life.
    @Test func aFolderThatBringsNothingRemovesNobody() throws {
        let state = SyncFixture.state([
            Self.heard(31, SyncFixture.lap, "lap"), Self.heard(40, SyncFixture.server, "server"),
            Self.heard(nil, Self.new, "new"),
        ])
        let fixture = try SyncFixture(["State": [state], "Remove": [SyncFixture.done]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "remove", "--silent", "30d")
        #expect(result.status == 1 && result.errors.contains("heard of any other machine for 30 days"))
        #expect(result.errors.contains("coffer doctor"), "\(result.errors)")
        for words in [["--silent", "29d"], ["--silent", "696h"], ["--silent", "30d", "lap"], []] {
            let wrong = try fixture.fake.program.run(["sync", "remove"] + words)
            #expect(wrong.status == 64, "\(words): \(wrong.errors)")
        }
        #expect(fixture.fake.broker.calls("Remove").isEmpty)
    }
}

/// `coffer sync leave`
@Suite struct SyncLeaveTests {
    private static let member = [FakeServer.Step](repeating: SyncFixture.three, count: 4)

    private func deleted(_ fixture: SyncFixture) throws -> [String] {
        try fixture.fake.broker.calls("Delete").compactMap { call in
            try call.parameters(Keychain.Delete.self).map { "\($0.service)/\($0.account)" }
        }
    }

    private var deletion: FakeServer.Step {
        .answer(Keychain.Delete.Reply(item: FakeCoffer.item("org.coffer.sync", SyncFixture.circle)))
    }

    @Test func aMachineRemovesItselfThenForgets() throws {
        let fixture = try SyncFixture([
            "State": Self.member + [SyncFixture.gone], "Remove": [SyncFixture.asked, SyncFixture.done],
            "Give": [SyncFixture.nothingToGive, SyncFixture.givesHead], "Forget": [SyncFixture.done],
            "Delete": [deletion],
        ])
        defer { fixture.remove() }
        let result = try fixture.run("leave", turns: [SyncFixture.password])
        #expect(result.status == 0, "\(result.screen)")
        #expect(result.screen.contains("The secrets stay on this machine, and are no longer shared."))
        #expect(try fixture.removed() == [[SyncFixture.device], [SyncFixture.device]])
        #expect(fixture.file(SyncFixture.head) == [9] && fixture.fake.broker.calls("Take").count == 2)
        #expect(fixture.fake.broker.calls("Forget").count == 1)
        #expect(try deleted(fixture) == ["org.coffer.sync/\(SyncFixture.circle)"])
        #expect(try fixture.settings() == ["leaving:\(SyncFixture.device) folder:\(fixture.folder)"])
    }

    /// Nobody but this machine has the removal, so forgetting it would leave the machine in the circle for ever.
    @Test func nothingIsForgottenBeforeTheOthersCanKnow() throws {
        let fixture = try SyncFixture([
            "State": Self.member + [SyncFixture.gone], "Remove": [SyncFixture.done],
            "Give": [SyncFixture.nothingToGive, .fault(.failed, "no")], "Forget": [SyncFixture.done],
            "Delete": [deletion],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "leave")
        #expect(result.status == 1 && result.errors.contains("run again: coffer sync leave"), "\(result.errors)")
        #expect(fixture.fake.broker.calls("Forget").isEmpty && fixture.fake.broker.calls("Delete").isEmpty)
    }

    /// The run before has removed the machine, and could not write that.
    @Test func theNextRunGoesOnWhereTheLastOneEnded() throws {
        for (give, isDone) in [(SyncFixture.givesHead, true), (.fault(.failed, "no"), false)] {
            var fixture = try SyncFixture([
                "State": [SyncFixture.gone], "Give": [give], "Forget": [SyncFixture.done], "Delete": [deletion],
            ])
            defer { fixture.remove() }
            let text = "leaving:\(SyncFixture.device) folder:\(fixture.folder)"
            fixture.fake = try FakeCoffer(
                broker: SyncFixture.item(fixture.folder).merging([
                    "State": [SyncFixture.gone], "Give": [give], "Forget": [SyncFixture.done], "Delete": [deletion],
                    "Get": [SyncFixture.setting(text)],
                ]) { $1 })
            let result = try fixture.fake.program.run("sync", "leave", "--no-prompt")
            #expect((result.status == 0) == isDone, "\(result.errors)")
            #expect((fixture.file(SyncFixture.head) == [9]) == isDone)
            #expect(fixture.fake.broker.calls("Forget").count == (isDone ? 1 : 0))
            #expect(fixture.fake.broker.calls("Remove").isEmpty)
        }
    }

    /// The folder may be gone with the removal, and its item may be damaged.
    @Test(arguments: ["folder:/nowhere/at/all", "x"])
    func aMachineThatWasRemovedForgetsAtOnce(setting: String) throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.gone], "Get": [SyncFixture.setting(setting)], "Forget": [SyncFixture.done],
            "Delete": [deletion],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "leave", "--no-prompt")
        #expect(result.status == 0 && result.errors.contains("no longer shared"), "\(result.errors)")
        #expect(fixture.fake.broker.calls("Forget").count == 1 && fixture.fake.broker.calls("Remove").isEmpty)
        #expect(fixture.fake.broker.calls("Take").isEmpty)
        #expect(try deleted(fixture).count == 1)
    }

    /// The exchange before the removal brings it from another machine.
    @Test func aMachineThatIsRemovedMeanwhileAsksNobody() throws {
        for take in [FakeServer.Step.fault(.notPermitted, "no member"), SyncFixture.item("")["Take"]![0]] {
            let fixture = try SyncFixture([
                "State": Self.member.dropLast() + [SyncFixture.gone], "Take": [take], "Forget": [SyncFixture.done],
                "Delete": [deletion],
            ])
            defer { fixture.remove() }
            let result = try fixture.fake.program.run("sync", "leave")
            #expect(result.status == 0 && fixture.fake.broker.calls("Remove").isEmpty, "\(result.errors)")
            #expect(fixture.fake.broker.calls("Forget").count == 1)
        }
    }

    @Test func aRequestThatWaitsIsForgotten() throws {
        let fixture = try SyncFixture([
            "State": [.answer(Sync.State.Reply(requested: true))], "Forget": [SyncFixture.done],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "leave")
        #expect(result.status == 0 && result.errors.contains("The code to join others is forgotten"))
        #expect(fixture.fake.broker.calls("Forget").count == 1 && fixture.fake.broker.calls("Remove").isEmpty)
        #expect(try fixture.fake.program.run("sync", "leave", "--quiet").errors.isEmpty)
    }

    @Test func whoDoesNotAnswerStays() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.three], "Remove": [SyncFixture.asked], "Forget": [SyncFixture.done],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "leave", "--no-prompt")
        #expect(result.status == 4 && result.errors.contains("coffer sync leave"), "\(result.errors)")
        #expect(fixture.fake.broker.calls("Forget").isEmpty && fixture.fake.broker.calls("Take").count == 1)
    }

    /// A mark of a try that the person has given up must not hold up a leave after another machine removes this one.
    @Test func aMemberLosesTheMarkOfLeaving() throws {
        let device = SyncFixture.device
        for arguments in [["sync", "now"], ["sync", "now", "--folder"]] {
            var fixture = try SyncFixture([:])
            defer { fixture.remove() }
            fixture.fake = try FakeCoffer(
                broker: SyncFixture.item(fixture.folder).merging([
                    "State": [SyncFixture.three],
                    "Get": [SyncFixture.setting("leaving:\(device) folder:\(fixture.folder)")],
                ]) { $1 })
            let result = try fixture.fake.program.run(arguments + (arguments.count > 2 ? [fixture.folder] : []))
            #expect(result.status == 0, "\(result.errors)")
            #expect(try fixture.settings() == ["folder:\(fixture.folder)"])
        }
    }
}

/// The other commands at a machine that was removed.
@Suite struct SyncRemovedTests {
    @Test func aRemovedMachineIsToldSoAndWhatToDo() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.gone]])
        defer { fixture.remove() }
        let code = Program.Input.bytes(Array(SyncFixture.code.utf8))
        for command in [["now"], ["now", "--quiet"], ["add"], ["remove", "lap"], ["init", "."], ["join", "."]] {
            let result = try fixture.fake.program.run(["sync"] + command, input: code)
            #expect(result.status == 6 && result.errors.contains("was removed"), "\(command) \(result.errors)")
            #expect(result.errors.contains("coffer sync leave") && result.errors.contains("coffer sync join FOLDER"))
        }
        #expect(fixture.fake.broker.calls("Take").isEmpty && fixture.fake.broker.calls("Remove").isEmpty)
        let status = try fixture.fake.program.run("sync", "status")
        #expect(status.status == 6 && status.text.contains("coffer sync leave") && !status.text.contains("lap"))
        let json = try fixture.fake.program.run("sync", "status", "--json")
        #expect(json.status == 6 && json.text.contains("\"joined\" : false"))
    }

    /// The exchange itself brings the removal, and the broker can refuse what follows.
    @Test func theExchangeThatBringsTheRemovalTells() throws {
        for give in [SyncFixture.nothingToGive, .fault(.notPermitted, "no member")] {
            let fixture = try SyncFixture([
                "State": [SyncFixture.three, SyncFixture.three, SyncFixture.gone], "Give": [give],
            ])
            defer { fixture.remove() }
            let result = try fixture.fake.program.run("sync", "now", "--quiet")
            #expect(result.status == 6 && result.errors.contains("coffer sync leave"), "\(result.errors)")
        }
    }
}

/// Machines choose their names themselves, also one that is to be removed.
@Suite struct MachineChoiceTests {
    private func machine(_ device: String, _ name: String?, own: Bool = false) -> Sync.Machine {
        .init(device: device, name: name, role: "admin", own: own, forked: false)
    }

    private func devices(_ choice: MachineChoice, _ words: String...) throws(KeychainError) -> [String] {
        try choice.chosen(words).map(\.device)
    }

    @Test func aMachineIsNamedByItsNameOrItsID() throws {
        let (first, second) = (SyncFixture.lap, SyncFixture.server)
        let choice = MachineChoice(machines: [machine(first, "lap"), machine(second, nil)])
        for word in ["lap", "02020202", "020202020", first] { #expect(try devices(choice, word) == [first]) }
        for word in ["machine 03030303", "03030303", second] { #expect(try devices(choice, word) == [second]) }
        #expect(try devices(choice, "03030303", "lap", first) == [second, first])
        let hex = "ABCDEF" + String(repeating: "0", count: 26)
        #expect(
            try devices(MachineChoice(machines: [machine(hex.lowercased(), "x")]), "ABCDEF00") == [hex.lowercased()])
    }

    /// A thief calls the stolen machine like one that the person wants to keep, or like its id.
    @Test func machinesOfOneNameAreToldApart() throws {
        let (first, second) = (SyncFixture.lap, SyncFixture.server)
        let equal = MachineChoice(machines: [machine(first, "lap"), machine(second, "lap")])
        #expect(equal.shown == ["lap (02020202)", "lap (03030303)"])
        let error = #expect(throws: KeychainError(.ambiguous, "")) { try devices(equal, "lap") }
        #expect(error?.message.contains("lap (02020202); lap (03030303)") == true)
        #expect(try devices(equal, "lap (03030303)") == [second] && devices(equal, "02020202") == [first])
        #expect(equal.machines.map(equal.word) == ["02020202", "03030303"])

        for name in ["02020202", first, String(first.prefix(20))] {
            let thief = MachineChoice(machines: [machine(first, "lap"), machine(second, name)])
            #expect(try devices(thief, first) == [first] && devices(thief, second) == [second])
            if name != first { #expect(throws: KeychainError(.ambiguous, "")) { try devices(thief, name) } }
            #expect(try devices(thief, thief.word(for: thief.machines[0])) == [first])
            #expect(try devices(thief, thief.word(for: thief.machines[1])) == [second])
        }
    }

    /// Two ids that begin alike: the short form would name both.
    @Test func idsThatBeginAlikeAreWhole() throws {
        let (first, second) = ("0202020202" + String(repeating: "1", count: 22), SyncFixture.lap)
        let choice = MachineChoice(machines: [machine(first, "lap"), machine(second, "lap")])
        #expect(choice.shown == ["lap (\(first))", "lap (\(second))"])
        #expect(throws: KeychainError(.ambiguous, "")) { try devices(choice, "02020202") }
        #expect(try devices(choice, "02020202021") == [first])
    }

    /// A broker that was taken over gives out names that no machine can have.
    @Test func aNameThatDrivesTerminalsIsShownAsText() throws {
        let machines = [machine(SyncFixture.lap, "x\u{1B}[2J\nlap"), machine(SyncFixture.server, "lap")]
        let choice = MachineChoice(machines: machines)
        let error = #expect(throws: KeychainError(.notFound, "")) { try devices(choice, "y\u{7}") }
        let text = error?.description ?? "\u{1B}"
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(text)")
        #expect(choice.word(for: machines[0]) == "02020202")
        #expect(!choice.shown.joined().unicodeScalars.contains { $0.properties.generalCategory == .control })
        let state = Sync.State.Reply(circle: "ab", machines: machines, joined: true)
        #expect(!SharingText.status(state, folder: "", width: nil).joined().contains("\u{1B}"))
    }

    @Test func statusTellsMachinesOfOneNameApart() {
        let state = Sync.State.Reply(
            circle: "ab", machines: [machine(SyncFixture.lap, "lap", own: true), machine(SyncFixture.server, "lap")],
            joined: true)
        let lines = SharingText.status(state, folder: "", width: nil)
        #expect(lines.contains { $0.contains("lap (02020202)") } && lines.contains { $0.contains("lap (03030303)") })
    }

    @Test func completionOffersTheOthers() throws {
        let fixture = try SyncFixture([
            "State": [
                SyncFixture.state([
                    machine(SyncFixture.lap, "lap"), machine(SyncFixture.server, "lap"),
                    machine(String(repeating: "04", count: 16), "a\u{1B}b"),
                    machine(String(repeating: "05", count: 16), "server"),
                ])
            ]
        ])
        defer { fixture.remove() }
        let all = try fixture.fake.program.run("complete-words", "--", "sync", "remove", "")
        #expect(all.text == "02020202\n03030303\n04040404\nserver\n", "\(all.text)")
        let rest = try fixture.fake.program.run("complete-words", "--", "sync", "remove", "server", "02020202", "")
        #expect(rest.text == "03030303\n04040404\n")
        #expect(try fixture.fake.program.run("complete-words", "--", "sync", "leave", "").output.isEmpty)
        #expect(fixture.fake.broker.calls("List").isEmpty)
    }
}
