import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

/// A fake broker with a vault in a circle, and a folder.
struct SyncFixture {
    var fake: FakeCoffer
    let folder: String
    static let circle = String(repeating: "ab", count: 32)
    static let device = String(repeating: "01", count: 16)
    static let place = String(repeating: "0c", count: 16)
    static let code = "JOIN-XHQS6-9JEQ4-DQCMD-45ZK6-8ZQAJ-XMJ57"
    static let request = "join/\(place)-request"
    static let answer = "join/\(place)-answer"

    static func machine(_ name: String, own: Bool) -> Sync.Machine {
        .init(
            device: own ? device : String(repeating: "02", count: 16), name: name, role: "admin", own: own,
            forked: false)
    }

    static var shared: FakeServer.Step {
        .answer(Sync.State.Reply(circle: circle, machines: [machine("desk", own: true)], joined: true))
    }

    static var entered: FakeServer.Step {
        .answer(
            Sync.State.Reply(
                circle: circle, machines: [machine("lap", own: true), machine("desk", own: false)], joined: true))
    }

    static var alone: FakeServer.Step { .answer(Sync.State.Reply()) }

    static func status(_ state: Keychain.VaultState.State) -> FakeServer.Step {
        .answer(
            Keychain.Status.Reply(
                vault: .init(state: state), sealer: .init(kind: "tpm"), version: "1", sandbox: false, warnings: []))
    }

    /// What `coffer` reads and stores about the folder.
    static func item(_ folder: String) -> [String: [FakeServer.Step]] {
        [
            "Get": [FakeCoffer.value(Array("folder:\(folder)".utf8), FakeCoffer.item("org.coffer.sync", circle))],
            "Set": [.answer(Keychain.Set.Reply(item: FakeCoffer.item("org.coffer.sync", circle)))],
            "List": [.answer(Keychain.ItemsReply(items: []))],
            "Status": [status(.unlocked)],
            "Withdraw": [.answer(Nothing())],
            "Take": [.answer(Sync.Take.Reply(added: 2, updated: 0, deleted: 0, waiting: 0, obstacles: []))],
            "Give": [.answer(Sync.Give.Reply(files: [], more: false))],
        ]
    }

    init(_ script: [String: [FakeServer.Step]]) throws {
        let name = "/tmp/coffer-sync-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
        folder = name
        fake = try FakeCoffer(
            broker: Self.item(name).merging(script) { $1 }, authenticator: FakeCoffer.asksPassword)
    }

    func remove() {
        // `try?`: a folder that stays in /tmp does no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    func put(_ bytes: [UInt8], _ name: String) throws {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path))
    }

    func file(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: "\(folder)/\(name)").map(Array.init) }

    static var password: Program.Turn { .init(wait: "Password: ", type: "x\r") }

    func run(_ arguments: String..., turns: [Program.Turn]) throws -> Program.Result {
        var shell = fake.program
        shell.executable = "/bin/sh"
        return try shell.run(
            "-c", "\(Program.path) sync \(arguments.joined(separator: " ")) 2>&1", input: .terminal, output: .terminal,
            turns: turns)
    }

    static let requested = FakeServer.Step.answer(
        Sync.Request.Reply(
            code: code, request: .init(path: request, content: Base64.encode([1, 2, 3])), answer: answer))
}

/// The commands of `coffer sync`, with a fake broker.
@Suite struct SyncCommandTests {
    @Test func theFirstMachineBegins() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.alone, SyncFixture.shared],
            "Found": [
                FakeCoffer.personNeeded([.foundCircle]), .answer(Sync.Found.Reply(circle: SyncFixture.circle)),
            ],
            "Give": [
                .answer(
                    Sync.Give.Reply(
                        files: [
                            .init(
                                path: "\(SyncFixture.circle)/heads/\(SyncFixture.device)", content: Base64.encode([9]))
                        ], more: false))
            ],
        ])
        defer { fixture.remove() }
        let result = try fixture.run("init", fixture.folder, "--name", "desk", turns: [SyncFixture.password])
        #expect(result.status == 0, "\(result.screen)")
        #expect(result.screen.contains("On the other machine, run: coffer sync join FOLDER"))
        let found = try fixture.fake.broker.calls("Found").map { try $0.parameters(Sync.Found.self) }
        #expect(found.map { $0?.name } == ["desk", "desk"] && found.map { $0?.challenge } == [nil, "c1"])
        let set = try #require(try fixture.fake.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect((set.service, set.account) == ("org.coffer.sync", SyncFixture.circle))
        #expect(set.value == Base64.encode(Array("folder:\(fixture.folder)".utf8)))
        #expect(try set.access == Keychain.AccessChange(.afterFirstUnlock.thisDeviceOnly))
        #expect(fixture.file("\(SyncFixture.circle)/heads/\(SyncFixture.device)") == [9])
        // No code belongs to this prompt.
        let begun = try fixture.fake.authenticator.calls("Begin").map { try $0.parameters(Authentication.Begin.self) }
        #expect(begun.map { $0?.code } == [nil])
    }

    /// There is a circle, and nothing says where it lies. A person can go on from here.
    @Test func aFolderThatCannotBeNotedIsNamed() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.alone, SyncFixture.shared],
            "Found": [.answer(Sync.Found.Reply(circle: SyncFixture.circle))],
            "Set": [.fault(.limitExceeded, "the vault is full")],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "init", fixture.folder)
        #expect(result.status != 0 && result.errors.contains("the vault is full"), "\(result.errors)")
        #expect(result.errors.contains("run: coffer sync now --folder \(fixture.folder)\n"), "\(result.errors)")
    }

    /// The second machine of a newcomer: it must not begin a circle of its own.
    @Test func aFolderThatOthersUseIsNotBegunAnewByMistake() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.alone, SyncFixture.alone, SyncFixture.shared],
            "Found": [.answer(Sync.Found.Reply(circle: SyncFixture.circle))],
        ])
        defer { fixture.remove() }
        try fixture.put([1], "\(String(repeating: "ef", count: 32))/beacon")
        let result = try fixture.fake.program.run("sync", "init", fixture.folder)
        #expect(result.status == 10 && result.errors.contains("coffer sync join \(fixture.folder)"), "\(result.errors)")
        #expect(fixture.fake.broker.calls("Found").isEmpty)
        #expect(try fixture.fake.program.run("sync", "init", fixture.folder, "--separate").status == 0)
        #expect(fixture.fake.broker.calls("Found").count == 1)
    }

    @Test func aVaultThatSharesAlreadyBeginsNothing() throws {
        for command in ["init", "join"] {
            let fixture = try SyncFixture(["State": [SyncFixture.shared]])
            defer { fixture.remove() }
            let result = try fixture.fake.program.run("sync", command, fixture.folder)
            #expect(result.status == 10 && result.errors.contains("coffer sync status"))
        }
    }

    @Test func aJoiningMachineShowsItsCodeAndNeedNotWait() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.alone], "Request": [SyncFixture.requested]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "join", fixture.folder, "--no-wait", "--name", "lap")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text == "\n    \(SyncFixture.code)\n\n")
        #expect(result.errors.contains("Then run here again: coffer sync join \(fixture.folder)"))
        #expect(fixture.file(SyncFixture.request) == [1, 2, 3])
        let calls = try fixture.fake.broker.calls("Request").map { try $0.parameters(Sync.Request.self) }
        #expect(calls.map { $0?.name } == ["lap"] && calls.map { $0?.renew } == [nil])
        #expect(fixture.fake.broker.calls("Enter").isEmpty)
        _ = try fixture.fake.program.run("sync", "join", fixture.folder, "--no-wait", "--new")
        #expect(try fixture.fake.broker.calls("Request").last?.parameters(Sync.Request.self)?.renew == true)
    }

    @Test func aJoiningMachineWaitsSoLongAtMost() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.alone], "Request": [SyncFixture.requested]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "join", fixture.folder, "--timeout", "1")
        #expect(result.status == 1 && result.errors.contains("nobody has let this machine in"), "\(result.errors)")
        #expect(result.errors.contains("here again: coffer sync join \(fixture.folder)"), "\(result.errors)")
        #expect(fixture.fake.broker.calls("Enter").isEmpty)
        for words in [["--timeout", "0"], ["--timeout", "1", "--no-wait"]] {
            #expect(try fixture.fake.program.run(["sync", "join", fixture.folder] + words).status == 64)
        }
    }

    /// The answer comes while the command waits.
    @Test func aJoiningMachineEntersWithTheAnswer() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.alone, SyncFixture.entered],
            "Request": [SyncFixture.requested],
            "Enter": [
                FakeCoffer.personNeeded([.joinCircle]),
                .answer(
                    Sync.Enter.Reply(
                        circle: SyncFixture.circle, words: ["a", "b", "c", "d", "e"],
                        machines: [SyncFixture.machine("lap", own: true), SyncFixture.machine("desk", own: false)])),
            ],
        ])
        defer { fixture.remove() }
        let answered = Program.Turn(wait: "Press Ctrl-C to stop", act: { try fixture.put([4, 5], SyncFixture.answer) })
        let result = try fixture.run("join", fixture.folder, turns: [answered, SyncFixture.password])
        #expect(result.status == 0, "\(result.screen)")
        #expect(result.screen.contains(SyncFixture.code) && result.screen.contains("shares secrets with desk now"))
        #expect(result.screen.contains("2 new, 0 changed, 0 deleted here"))
        let entered = try fixture.fake.broker.calls("Enter").map { try $0.parameters(Sync.Enter.self) }
        #expect(entered.map { $0?.answer } == [Base64.encode([4, 5]), Base64.encode([4, 5])])
        // They have done their work.
        #expect(fixture.file(SyncFixture.request) == nil && fixture.file(SyncFixture.answer) == nil)
    }

    @Test func aMachineIsAddedWithTheCodeThatThePersonHasTyped() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.shared],
            "Add": [
                .answer(Sync.Add.Reply(path: SyncFixture.request, words: [])),
                FakeCoffer.personNeeded([.addToCircle]),
                .answer(
                    Sync.Add.Reply(
                        path: SyncFixture.request,
                        answer: .init(path: SyncFixture.answer, content: Base64.encode([6])), name: "lap",
                        words: ["a", "b", "c", "d", "e"])),
            ],
        ])
        defer { fixture.remove() }
        try fixture.put([1, 2, 3], SyncFixture.request)
        let typed = Program.Turn(
            wait: "Code that the new machine shows: ", type: SyncFixture.code.lowercased() + "\r")
        let result = try fixture.run("add", turns: [typed, SyncFixture.password])
        #expect(result.status == 0, "\(result.screen)")
        #expect(result.screen.contains("Added lap.") && result.screen.contains("a b c d e"))
        let calls = try fixture.fake.broker.calls("Add").map { try $0.parameters(Sync.Add.self) }
        #expect(calls.map { $0?.code } == .init(repeating: SyncFixture.code, count: 3))
        #expect(calls.map { $0?.request } == [nil, Base64.encode([1, 2, 3]), Base64.encode([1, 2, 3])])
        // The authenticator compares the code itself, so it gets what was typed and not what the broker says.
        let begun = try fixture.fake.authenticator.calls("Begin").map { try $0.parameters(Authentication.Begin.self) }
        #expect(begun.map { $0?.code } == [SyncFixture.code])
        #expect(fixture.file(SyncFixture.answer) == [6])
    }

    @Test func aRequestThatDoesNotComeIsTold() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.shared], "Add": [.answer(Sync.Add.Reply(path: SyncFixture.request, words: []))],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run(
            "sync", "add", "--no-wait", input: .bytes(Array(SyncFixture.code.utf8)))
        #expect(result.status == 3 && result.errors.contains("both machines use this folder"), "\(result.errors)")
    }

    @Test func anExchangeIsToldInWordsOrAsJSONOrNotAtAll() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.shared]])
        defer { fixture.remove() }
        let words = try fixture.fake.program.run("sync", "now")
        #expect(words.status == 0 && words.text == "2 new, 0 changed, 0 deleted here\n", "\(words.errors)")
        let json = try fixture.fake.program.run("sync", "now", "--json")
        #expect(json.status == 0 && json.text.contains("\"added\" : 2"))
        let quiet = try fixture.fake.program.run("sync", "now", "--quiet")
        #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty)
    }

    /// A vault that was not opened since the broker started tells nothing.
    @Test func aVaultThatIsLockedIsOpenedFirst() throws {
        let fixture = try SyncFixture([
            "State": [.fault(.locked), SyncFixture.shared], "Status": [SyncFixture.status(.sealed)],
            "Unlock": [
                FakeCoffer.personNeeded([.unlock]), .answer(Keychain.VaultReply(vault: .init(state: .unlocked))),
            ],
        ])
        defer { fixture.remove() }
        let refused = try fixture.fake.program.run("sync", "now", "--no-prompt")
        #expect(refused.status == 4 && fixture.fake.broker.calls("Take").isEmpty, "\(refused.errors)")
        let another = try SyncFixture([
            "State": [.fault(.locked), SyncFixture.shared],
            "Status": [SyncFixture.status(.sealed), SyncFixture.status(.unlocked)],
            "Unlock": [
                FakeCoffer.personNeeded([.unlock]), .answer(Keychain.VaultReply(vault: .init(state: .unlocked))),
            ],
        ])
        defer { another.remove() }
        let result = try another.run("now", turns: [SyncFixture.password])
        #expect(result.status == 0 && result.screen.contains("2 new"), "\(result.screen)")
    }

    /// The folder was moved. The new one is used from then on.
    @Test func anotherFolderIsRemembered() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.shared], "Get": [FakeCoffer.absent]])
        defer { fixture.remove() }
        let lost = try fixture.fake.program.run("sync", "now")
        #expect(lost.status == 3 && lost.errors.contains("coffer sync now --folder FOLDER"))
        #expect(fixture.fake.broker.calls("Take").isEmpty)
        #expect(try fixture.fake.program.run("sync", "now", "--folder", fixture.folder).status == 0)
        let set = try fixture.fake.broker.calls("Set").map { try $0.parameters(Keychain.Set.self)?.value }
        #expect(set == [Base64.encode(Array("folder:\(fixture.folder)".utf8))])
    }

    @Test func theStateIsShownWhileTheVaultIsLocked() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.shared], "Get": [.fault(.locked)]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "status")
        #expect(result.status == 0 && result.text.contains("Folder: shown once the vault is open"), "\(result.errors)")
        #expect(result.text.contains("desk  admin  this machine"))
        let json = try fixture.fake.program.run("sync", "status", "--json")
        #expect(json.status == 0 && json.text.contains("\"circle\" : \"\(SyncFixture.circle)\""))
    }

    @Test func withoutSharingThereIsAFirstStep() throws {
        let fixture = try SyncFixture(["State": [.fault(.notFound)]])
        defer { fixture.remove() }
        let status = try fixture.fake.program.run("sync", "status")
        #expect(status.status == 0 && status.text.contains("coffer sync init FOLDER"))
        for command in [
            ["now"], ["add"], ["remove", "x"], ["leave"], ["conflicts"], ["resolve", "x", "--both"],
        ] {
            let result = try fixture.fake.program.run(["sync"] + command)
            #expect(result.status == 3 && result.errors.contains("coffer sync init FOLDER"))
        }
    }
}

/// Wrong use, and what is wrong before a broker is asked.
@Suite struct SyncUsageTests {
    @Test(arguments: [
        (["sync", "init"], "Missing expected argument '<folder>'"), (["sync", "join"], "'<folder>'"),
        (["sync", "init", ""], "the folder must not be empty"),
        (["sync", "init", "x", "--name", "a b"], "a machine's name"),
        (["sync", "join", "x", "--name", ""], "a machine's name"),
        (["sync", "now", "--folder", ""], "must not be empty"),
        (["sync", "now", "--quiet", "--json"], "does not go with --json"),
        (["sync", "now", "--group", "x"], "--group"),
        (["sync", "remove"], "name the machines, or take those that are silent"),
        (["sync", "remove", ""], "must not be empty"), (["sync", "remove", "x", "--folder", ""], "must not be empty"),
        (["sync", "leave", "x"], "'x'"), (["sync", "leave", "--folder", ""], "must not be empty"),
        (["sync", "conflicts", "--values"], "name it"), (["sync", "conflicts", ""], "must not be empty"),
        (["sync", "resolve"], "Missing expected argument '<service>'"),
        (["sync", "resolve", "x"], "--take MACHINE or --both"),
        (["sync", "resolve", "x", "--take", ""], "must not be empty"),
        (["sync", "resolve", "x", "--both", "--part", "label"], "--both goes with --field"),
        (["sync", "resolve", "x", "--both", "--part", "bin"], "a part is name, label"),
        (["sync", "resolve", "x", "--take", "y", "--part", "name", "--field", "f"], "do not go together"),
        (["sync", "add", "JOIN-AAAAA"], "never pass the code as an argument"), (["sync", "nwo"], "'nwo'"),
    ])
    func wrongUseIsSixtyFour(arguments: [String], words: String) throws {
        let fixture = try FakeCoffer()
        let result = try fixture.program.run(arguments)
        #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(!result.errors.contains("JOIN-AAAAA"))
    }

    @Test(arguments: [
        ["sync"], ["sync", "--help"], ["help", "sync"], ["help", "sync", "init"], ["sync", "join", "--help"],
        ["help", "sync", "remove"], ["sync", "leave", "--help"], ["help", "sync", "conflicts"],
        ["sync", "resolve", "--help"],
    ])
    func helpIsGiven(arguments: [String]) throws {
        let result = try FakeCoffer().program.run(arguments)
        #expect(result.status == 0 && result.text.contains("USAGE"))
    }

    @Test func aFolderThatIsNoneIsToldBeforeAnybodyIsAsked() throws {
        let fixture = try FakeCoffer()
        for command in ["init", "join"] {
            let missing = try fixture.program.run("sync", command, fixture.scratch.file("missing"))
            #expect(
                missing.status == 3 && missing.errors.contains("/missing is missing; check its path"),
                "\(missing.errors)")
            let file = try fixture.program.run("sync", command, "/etc/passwd")
            #expect(file.status == 64 && file.errors.contains("/etc/passwd is no folder"), "\(file.errors)")
        }
        #expect(fixture.broker.connections == 0)
    }
}
