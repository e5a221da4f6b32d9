import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// `coffer sync` with a folder in a clone of a git repository, with a fake broker and the real git.
@Suite struct SyncGitTests {
    /// A machine whose folder is a clone.
    private struct Machine {
        var fixture: SyncFixture
        let scratch: TemporaryFolder
        var bare: String { scratch.path + "/bare.git" }
        var clone: String { scratch.path + "/clone" }

        static let branch = "git:origin:refs/heads/main"

        init(_ script: [String: [FakeServer.Step]]) throws {
            scratch = try TemporaryFolder()
            let value = Array("\(Self.branch) folder:\(scratch.path)/clone".utf8)
            let item = FakeCoffer.value(value, FakeCoffer.item("org.coffer.sync", SyncFixture.circle))
            fixture = try SyncFixture(["Get": [item]].merging(script) { $1 })
            fixture.fake.program.environment["HOME"] = scratch.path
            fixture.fake.program.environment["GIT_CONFIG_NOSYSTEM"] = "1"
            try git("init", "--quiet", "--bare", "--initial-branch=main", bare)
            try git("clone", "--quiet", bare, clone)
        }

        func git(_ words: String...) throws {
            try Tool.output("env", ["HOME=\(scratch.path)", "GIT_CONFIG_NOSYSTEM=1", "git"] + words)
        }

        /// What the remote has.
        func pushed(_ name: String) throws -> String? {
            let result = try Tool.run("git", ["--git-dir", bare, "show", "main:\(name)"])
            return result.status == 0 ? result.output : nil
        }

        func setting() throws -> String? {
            let set = try fixture.fake.broker.calls("Set").last?.parameters(Keychain.Set.self)
            return try set.map { String(decoding: try #require(Base64.decode($0.value)), as: UTF8.self) }
        }
    }

    private static let head = "\(SyncFixture.circle)/heads/\(SyncFixture.device)"
    private static let gives = FakeServer.Step.answer(
        Sync.Give.Reply(files: [.init(path: head, content: Base64.encode(Array("new".utf8)))], more: false))
    private static let nothing = FakeServer.Step.answer(Sync.Give.Reply(files: [], more: false))
    private static let beginning = [
        "State": [SyncFixture.alone, SyncFixture.shared],
        "Found": [.answer(Sync.Found.Reply(circle: SyncFixture.circle))], "Give": [gives],
    ]

    @Test func theFirstMachinePushesAndRemembersTheBranch() throws {
        let machine = try Machine(Self.beginning)
        defer { machine.fixture.remove() }
        let result = try machine.fixture.fake.program.run("sync", "init", machine.clone, "--git", "--no-service")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("coffer sync join FOLDER --git"))
        #expect(try machine.setting() == "\(Machine.branch) folder:\(machine.clone)")
        #expect(try machine.pushed(Self.head) == "new")
        // The work tree is the user's.
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.clone) == [".git"])
    }

    @Test func othersThatShareThroughTheRemoteAreSeen() throws {
        let machine = try Machine(Self.beginning)
        defer { machine.fixture.remove() }
        let other = machine.scratch.path + "/other"
        try machine.git("clone", "--quiet", machine.bare, other)
        let place = "\(other)/\(String(repeating: "ef", count: 32))"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: place + "/beacon"))
        try machine.git("-C", other, "add", ".")
        try machine.git("-C", other, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "--quiet", "-m", "x")
        try machine.git("-C", other, "push", "--quiet", "origin", "HEAD:main")
        let result = try machine.fixture.fake.program.run("sync", "init", machine.clone, "--git")
        #expect(result.status == 10 && result.errors.contains("sync join \(machine.clone) --git"), "\(result.errors)")
        #expect(machine.fixture.fake.broker.calls("Found").isEmpty)
    }

    @Test func aFolderThatIsNoCloneBeginsNothing() throws {
        let machine = try Machine(Self.beginning)
        defer { machine.fixture.remove() }
        try machine.git("-C", machine.clone, "config", "--unset", "branch.main.remote")
        for (folder, words) in [(machine.fixture.folder, "no work tree of git"), (machine.clone, "no upstream")] {
            for command in ["init", "join"] {
                let result = try machine.fixture.fake.program.run("sync", command, folder, "--git")
                #expect(result.status == 1 && result.errors.contains(words), "\(result.errors)")
            }
        }
        var fake = machine.fixture.fake
        fake.program.environment["PATH"] = machine.scratch.path
        let result = try fake.program.run("sync", "init", machine.clone, "--git")
        #expect(result.status == 1 && result.errors.contains("git is not installed"), "\(result.errors)")
        #expect(fake.broker.calls("Found").isEmpty && fake.broker.calls("Request").isEmpty)
    }

    /// Without the remote nobody knows whether others share through it already.
    @Test func aRemoteThatIsAwayBeginsNothing() throws {
        let machine = try Machine(Self.beginning)
        defer { machine.fixture.remove() }
        try FileManager.default.moveItem(atPath: machine.bare, toPath: machine.bare + "-away")
        for command in ["init", "join"] {
            let result = try machine.fixture.fake.program.run("sync", command, machine.clone, "--git")
            #expect(result.status == 1 && result.errors.contains("not fetched"), "\(result.errors)")
        }
        #expect(machine.fixture.fake.broker.calls("Found").isEmpty)
        #expect(machine.fixture.fake.broker.calls("Request").isEmpty)
    }

    @Test func whatWasNotPushedIsPushedTheNextTime() throws {
        let machine = try Machine(["State": [SyncFixture.shared], "Give": [Self.gives, Self.nothing]])
        defer { machine.fixture.remove() }
        try FileManager.default.moveItem(atPath: machine.bare, toPath: machine.bare + "-away")
        let result = try machine.fixture.fake.program.run("sync", "now")
        #expect(result.status == 1 && result.text.contains("2 new"), "\(result.text)\(result.errors)")
        #expect(result.errors.contains("was not pushed") && result.errors.contains("pushed the next time"))
        #expect(try machine.fixture.fake.program.run("sync", "now", "--quiet").status == 1)
        try FileManager.default.moveItem(atPath: machine.bare + "-away", toPath: machine.bare)
        #expect(try machine.pushed(Self.head) == nil)
        #expect(try machine.fixture.fake.program.run("sync", "now").status == 0)
        #expect(try machine.pushed(Self.head) == "new")
    }

    @Test func theStateNamesTheBranch() throws {
        let machine = try Machine(["State": [SyncFixture.shared]])
        defer { machine.fixture.remove() }
        #expect(
            try machine.fixture.fake.program.run("sync", "status").text
                .contains("Folder: \(machine.clone) (git, origin/main)"))
        let record = try machine.fixture.fake.program.run("sync", "status", "--json").text
        #expect(record.contains("\"git\" : \"origin/main\""), "\(record)")
    }

    @Test func aFolderBecomesACloneAndBack() throws {
        var machine = try Machine(["State": [SyncFixture.shared], "Give": [Self.gives]])
        defer { machine.fixture.remove() }
        let told = try SyncServiceTests.manage(&machine.fixture)
        let folder = machine.fixture.folder
        // Another folder without --git is an ordinary one. The same folder stays what it is.
        #expect(try machine.fixture.fake.program.run("sync", "now", "--folder", machine.clone).status == 0)
        #expect(try machine.setting() == nil && machine.pushed(Self.head) == "new")
        #expect(SyncServiceTests.lines(told).isEmpty)
        #expect(try machine.fixture.fake.program.run("sync", "now", "--folder", folder).status == 0)
        #expect(try machine.setting() == "folder:\(folder)")
        let words = "--user --quiet --no-ask-password"
        #expect(
            SyncServiceTests.lines(told) == [
                "\(words) is-enabled coffer-sync-git.service", "\(words) disable --now coffer-sync-git.service",
                "\(words) enable --now coffer-sync.service",
            ])
        var back = try Machine(
            ["State": [SyncFixture.shared], "Give": [Self.gives]].merging(SyncFixture.item(folder)) { first, _ in first
            })
        defer { back.fixture.remove() }
        let toldThere = try SyncServiceTests.manage(&back.fixture)
        #expect(try back.fixture.fake.program.run("sync", "now", "--folder", back.clone, "--git").status == 0)
        #expect(try back.setting() == "\(Machine.branch) folder:\(back.clone)")
        #expect(SyncServiceTests.lines(toldThere).last == "\(words) enable --now coffer-sync-git.service")
    }

    @Test func theServiceThatMayUseTheNetworkIsStarted() throws {
        var machine = try Machine(Self.beginning)
        defer { machine.fixture.remove() }
        let told = try SyncServiceTests.manage(&machine.fixture)
        let result = try machine.fixture.fake.program.run("sync", "init", machine.clone, "--git")
        #expect(result.status == 0 && result.errors.contains("user service coffer-sync-git"), "\(result.errors)")
        #expect(
            SyncServiceTests.lines(told) == [
                "--user --quiet --no-ask-password enable --now coffer-sync-git.service"
            ])
    }

    /// The item is the user's own, and a program of theirs can write it.
    @Test func anItemThatNamesNoBranchIsRefused() throws {
        for value in [
            "git:origin:refs/heads/main", "git:origin folder:/x", "git:--upload-pack=x:refs/heads/main folder:/x",
            "git:origin:refs/heads/main:x folder:/x", "git:origin:main folder:/x", "git: folder:/x",
        ] {
            let item = FakeCoffer.value(
                Array(value.utf8), FakeCoffer.item("org.coffer.sync", SyncFixture.circle))
            let machine = try Machine(["State": [SyncFixture.shared], "Get": [item]])
            defer { machine.fixture.remove() }
            let result = try machine.fixture.fake.program.run("sync", "now")
            #expect(result.status == 7, "\(value): \(result.errors)")
        }
    }
}
