import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// The user service of `coffer sync`, and `coffer sync wait`, with a fake broker.
@Suite struct SyncServiceTests {
    /// A user's service manager that notes what it is told.
    static func manage(_ fixture: inout SyncFixture, status: Int32 = 0) throws -> String {
        let scratch = fixture.fake.scratch
        for folder in ["bin", "run/systemd"] {
            try FileManager.default.createDirectory(
                atPath: scratch.file(folder), withIntermediateDirectories: true)
        }
        try Data().write(to: URL(filePath: scratch.file("run/systemd/private")))
        let told = scratch.file("systemctl-told")
        try Script.write("#!/bin/sh\necho \"$@\" >>'\(told)'\nexit \(status)\n", to: scratch.file("bin/systemctl"))
        fixture.fake.program.environment["PATH"] = "\(scratch.file("bin")):/usr/bin:/bin"
        fixture.fake.program.environment["XDG_RUNTIME_DIR"] = scratch.file("run")
        return told
    }

    static func lines(_ path: String) -> [String] {
        // `try?`: nothing was told.
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    private static let enabling = "--user --quiet --no-ask-password enable --now coffer-sync.service"
    private static let disabling =
        "--user --quiet --no-ask-password disable --now coffer-sync.service coffer-sync-git.service coffer-sync-remote.service"
    private static let advice = "keep this running: coffer sync watch"

    private func beginning(_ status: FakeServer.Step = SyncFixture.status(.unlocked)) throws -> SyncFixture {
        try SyncFixture([
            "State": [SyncFixture.alone, SyncFixture.shared], "Status": [status],
            "Found": [.answer(Sync.Found.Reply(circle: SyncFixture.circle))],
        ])
    }

    @Test func theFirstMachineStartsTheService() throws {
        var fixture = try beginning()
        defer { fixture.remove() }
        let told = try Self.manage(&fixture)
        let result = try fixture.fake.program.run("sync", "init", fixture.folder)
        #expect(result.status == 0 && result.errors.contains("user service coffer-sync"), "\(result.errors)")
        #expect(Self.lines(told) == [Self.enabling])
    }

    @Test func aMachineThatJoinsStartsTheService() throws {
        var fixture = try SyncFixture([
            "State": [SyncFixture.alone, SyncFixture.entered], "Request": [SyncFixture.requested],
            "Enter": [.answer(Sync.Enter.Reply(circle: SyncFixture.circle, words: [], machines: []))],
        ])
        defer { fixture.remove() }
        let told = try Self.manage(&fixture)
        try fixture.put([4, 5], SyncFixture.answer)
        let result = try fixture.fake.program.run("sync", "join", fixture.folder)
        #expect(result.status == 0 && result.errors.contains("user service coffer-sync"), "\(result.errors)")
        #expect(Self.lines(told) == [Self.enabling])
    }

    /// The vault shares from then on, and no later command would start the service.
    @Test(arguments: ["init", "join"]) func aFirstExchangeThatFailsKeepsNoServiceAway(_ command: String) throws {
        for words in [[], ["--no-service"]] {
            var fixture = try SyncFixture([
                "State": [SyncFixture.alone, command == "init" ? SyncFixture.shared : SyncFixture.entered],
                "Found": [.answer(Sync.Found.Reply(circle: SyncFixture.circle))],
                "Request": [SyncFixture.requested],
                "Enter": [.answer(Sync.Enter.Reply(circle: SyncFixture.circle, words: [], machines: []))],
                "Take": [.fault(.failed, "the vault cannot be written")],
            ])
            defer { fixture.remove() }
            let told = try Self.manage(&fixture)
            if command == "join" { try fixture.put([4, 5], SyncFixture.answer) }
            let result = try fixture.fake.program.run(["sync", command, fixture.folder] + words)
            #expect(result.status != 0 && result.errors.contains("the vault cannot be written"), "\(result.errors)")
            #expect(result.errors.contains("Once that is mended, run: coffer sync now"), "\(result.errors)")
            let line = words.isEmpty ? "after that (user service coffer-sync)" : Self.advice
            #expect(result.errors.contains(line), "\(result.errors)")
            #expect(Self.lines(told) == (words.isEmpty ? [Self.enabling] : []))
        }
    }

    @Test func nobodyStartsItAgainstThePersonsWill() throws {
        var fixture = try beginning()
        defer { fixture.remove() }
        let told = try Self.manage(&fixture)
        let result = try fixture.fake.program.run("sync", "init", fixture.folder, "--no-service")
        #expect(result.status == 0 && result.errors.contains(Self.advice), "\(result.errors)")
        #expect(Self.lines(told).isEmpty)
    }

    /// The vault of a service has no user who logs in.
    @Test func aServiceVaultStartsTheSystemsService() throws {
        let words = "--quiet --no-ask-password"
        var fixture = try beginning()
        defer { fixture.remove() }
        let told = try Self.manage(&fixture)
        fixture.fake.program.environment["XDG_RUNTIME_DIR"] = nil
        let result = try fixture.fake.program.run("sync", "init", fixture.folder, "--user", "web")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("system service coffer-courier@web"), "\(result.errors)")
        #expect(result.errors.contains("coffer sync join --user web"), "\(result.errors)")
        #expect(Self.lines(told) == ["\(words) enable --now coffer-courier@web.service"])
        // Against root's will, and with a name that would be another account's instance.
        for arguments in [["--user", "web", "--no-service"], ["--user", "we b"]] {
            var other = try beginning()
            defer { other.remove() }
            let told = try Self.manage(&other)
            let result = try other.fake.program.run(["sync", "init", other.folder] + arguments)
            #expect(result.status == 0 && result.errors.contains("\(Self.advice) --user"), "\(result.errors)")
            #expect(Self.lines(told).isEmpty)
        }
        var leaving = try SyncFixture([
            "State": [SyncFixture.gone], "Forget": [SyncFixture.done], "Delete": [SyncFixture.done],
        ])
        defer { leaving.remove() }
        let toldThere = try Self.manage(&leaving)
        #expect(try leaving.fake.program.run("sync", "leave", "--user", "web").status == 0)
        #expect(Self.lines(toldThere) == ["\(words) disable --now coffer-courier@web.service coffer-admit@web.service"])
    }

    /// Advice is about the vault that the command was about.
    @Test func adviceNamesTheServiceVault() throws {
        for (script, arguments, advice) in [
            (["State": [SyncFixture.alone]], ["now"], "coffer sync init --user web FOLDER"),
            (["State": [SyncFixture.gone]], ["wait"], "coffer sync leave --user web"),
        ] {
            let fixture = try SyncFixture(script)
            defer { fixture.remove() }
            let result = try fixture.fake.program.run(["sync"] + arguments + ["--user", "web"])
            #expect(result.status != 0 && result.errors.contains(advice), "\(result.errors)")
        }
    }

    /// The service finds only the installed broker.
    @Test func aSandboxStartsAndStopsNothing() throws {
        let sandbox = FakeServer.Step.answer(
            Keychain.Status.Reply(
                vault: .init(state: .unlocked), sealer: .init(kind: "tpm"), version: "1", sandbox: true, warnings: []))
        var fixture = try beginning(sandbox)
        defer { fixture.remove() }
        let told = try Self.manage(&fixture)
        let result = try fixture.fake.program.run("sync", "init", fixture.folder)
        #expect(result.status == 0 && result.errors.contains(Self.advice), "\(result.errors)")
        var leaving = try SyncFixture([
            "State": [SyncFixture.gone], "Forget": [SyncFixture.done], "Delete": [SyncFixture.done],
            "Status": [sandbox],
        ])
        defer { leaving.remove() }
        let toldThere = try Self.manage(&leaving)
        #expect(try leaving.fake.program.run("sync", "leave").status == 0)
        #expect(Self.lines(told).isEmpty && Self.lines(toldThere).isEmpty)
    }

    @Test func whereNoServiceRunsThePersonLearnsWhatToRun() throws {
        // The unit is not installed; there is no manager; there is no systemctl.
        for step in 0..<3 {
            var fixture = try beginning()
            defer { fixture.remove() }
            let told = try Self.manage(&fixture, status: 1)
            if step == 1 { fixture.fake.program.environment["XDG_RUNTIME_DIR"] = fixture.fake.scratch.path }
            if step == 2 { fixture.fake.program.environment["PATH"] = fixture.fake.scratch.path }
            let result = try fixture.fake.program.run("sync", "init", fixture.folder)
            #expect(result.status == 0 && result.errors.contains(Self.advice), "\(result.errors)")
            #expect(Self.lines(told) == (step == 0 ? [Self.enabling] : []))
        }
    }

    @Test func aMachineThatLeavesStopsTheService() throws {
        var fixture = try SyncFixture([
            "State": [SyncFixture.gone], "Forget": [SyncFixture.done], "Delete": [SyncFixture.done],
        ])
        defer { fixture.remove() }
        let told = try Self.manage(&fixture, status: 1)
        let result = try fixture.fake.program.run("sync", "leave")
        // A service that is not there needs no stopping.
        #expect(result.status == 0, "\(result.errors)")
        #expect(Self.lines(told) == [Self.disabling])
    }

    private func state(_ seen: Bool?..., pending: Int64 = 0) -> FakeServer.Step {
        let others = zip([SyncFixture.lap, SyncFixture.server], ["lap", "server"]).enumerated().map { index, other in
            Sync.Machine(
                device: other.0, name: other.1, role: "admin", own: false, forked: false, seen: seen[index])
        }
        return .answer(
            Sync.State.Reply(
                circle: SyncFixture.circle, machines: [SyncFixture.machine("desk", own: true)] + others,
                joined: true, pending: pending))
    }

    @Test func itIsWaitedForAllMachines() throws {
        // Each round asks twice: for the members, and for what they have said.
        let behind = [state(false, false), state(false, false), state(true, false), state(true, false)]
        let fixture = try SyncFixture(["State": [state(false, false)] + behind + [state(true, true)]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "wait")
        #expect(result.status == 0)
        #expect(
            result.errors
                == "Waiting for: lap, server\nWaiting for: server\nAll machines have what was changed here.\n")
        #expect(fixture.fake.broker.calls("Take").count == 3)
        let quiet = try fixture.fake.program.run("sync", "wait", "--quiet", "--timeout", "600")
        #expect(quiet.status == 0 && quiet.errors.isEmpty)
    }

    @Test func whoNeverAnswersIsNamedWhenTheTimeIsOver() throws {
        let fixture = try SyncFixture(["State": [state(true, false)]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "wait", "--timeout", "1")
        #expect(result.status == 1 && result.errors.contains("not all machines have what was changed here: server"))
        for wrong in ["0", "604801", "x"] {
            #expect(try fixture.fake.program.run("sync", "wait", "--timeout", wrong).status == 64)
        }
    }

    /// What could not be given out is nowhere else.
    @Test func whatWasNotGivenOutIsNotSaidToBeThere() throws {
        let fixture = try SyncFixture(["State": [state(true, true, pending: 1)]])
        defer { fixture.remove() }
        #expect(try fixture.fake.program.run("sync", "wait", "--timeout", "1").status == 1)
    }

    @Test func aMachineThatWasRemovedDoesNotWait() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.gone]])
        defer { fixture.remove() }
        #expect(try fixture.fake.program.run("sync", "wait").status == 6)
    }

    @Test func theStateTellsWhoLacksSomething() throws {
        let fixture = try SyncFixture(["State": [state(false, true)]])
        defer { fixture.remove() }
        let words = try fixture.fake.program.run("sync", "status").text.split(separator: "\n").map(String.init)
        #expect(words.contains { $0.contains("lap") && $0.hasSuffix("lacks changes of this machine") }, "\(words)")
        #expect(words.contains { $0.contains("server") && !$0.contains("lacks") }, "\(words)")
        #expect(try fixture.fake.program.run("sync", "status", "--json").text.contains("\"seen\" : false"))
    }
}
