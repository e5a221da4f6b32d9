import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// `coffer sync` with a store on a server, with a fake broker and a server on this machine.
@Suite struct SyncStoreTests {
    private static let present = "present-pass"
    private static let former = "former-pass"
    private static let credentials = Program.Input.bytes(Array("me\n\(present)\n".utf8))
    private static let head = "\(SyncFixture.circle)/heads/\(SyncFixture.device)"
    private static let gives = FakeServer.Step.answer(
        Sync.Give.Reply(files: [.init(path: head, content: Base64.encode(Array("new".utf8)))], more: false))
    private static let done = FakeServer.Step.answer(Sync.Give.Reply(files: [], more: false))

    private static func item(_ text: String) -> FakeServer.Step {
        FakeCoffer.value(Array(text.utf8), FakeCoffer.item("org.coffer.sync", "x"))
    }

    private static func keys(_ passwords: String...) -> FakeServer.Step {
        item(passwords.map { "me\n\($0)\n" }.joined())
    }

    /// A vault that shares with nobody, and knows no credentials.
    private static func beginning() throws -> SyncFixture {
        try SyncFixture([
            "State": [SyncFixture.alone, SyncFixture.alone, SyncFixture.shared], "Get": [.fault(.notFound)],
            "Found": [.answer(Sync.Found.Reply(circle: SyncFixture.circle))], "Give": [gives, done],
        ])
    }

    /// A vault that shares through the server.
    private static func sharing(_ web: ScriptedServer, _ keys: FakeServer.Step..., more: [FakeServer.Step] = []) throws
        -> SyncFixture
    {
        try SyncFixture([
            "State": [SyncFixture.shared], "Get": [item("store:\(web.address)")] + keys, "Give": [gives, done],
        ])
    }

    /// What was stored, one after the other.
    private static func stored(_ fixture: SyncFixture) throws -> [String] {
        try fixture.fake.broker.calls("Set").map {
            let set = try #require(try $0.parameters(Keychain.Set.self))
            #expect(try set.access == Keychain.AccessChange(.afterFirstUnlock.thisDeviceOnly))
            return String(decoding: try #require(Base64.decode(set.value)), as: UTF8.self)
        }
    }

    @Test func theFirstMachineAsksForCredentialsAndKeepsThem() throws {
        let web = try ScriptedServer(passwords: [Self.present])
        let fixture = try Self.beginning()
        defer { fixture.remove() }
        let result = try fixture.fake.program.run(
            "sync", "init", web.address + "/", "--no-service", input: Self.credentials)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Self.stored(fixture) == ["me\n\(Self.present)\n", "store:\(web.address)"])
        #expect(result.errors.contains("run: coffer sync join \(web.address)/"), "\(result.errors)")
        let put = try web.requests().filter { $0.line.hasPrefix("PUT /\(Self.head) ") }
        #expect(put.map(\.text) == ["new"])
        #expect(!(result.text + result.errors).contains(Self.present))
    }

    @Test func credentialsAreTypedAndThePasswordIsNotShown() throws {
        let web = try ScriptedServer(passwords: [Self.present])
        let fixture = try Self.beginning()
        defer { fixture.remove() }
        let result = try fixture.fake.program.run(
            "sync", "init", web.address, "--no-service", input: .terminal,
            turns: [
                .init(wait: "User name for \(web.address): ", type: "me\r"),
                .init(wait: "Password, not shown: ", type: "\(Self.present)\r"),
            ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Self.stored(fixture).first == "me\n\(Self.present)\n")
        #expect(!result.screen.contains(Self.present))
    }

    /// Nothing is begun, and nothing is kept.
    @Test func wrongCredentialsBeginNothing() throws {
        let web = try ScriptedServer(passwords: ["another"])
        for command in ["init", "join"] {
            let fixture = try Self.beginning()
            defer { fixture.remove() }
            let result = try fixture.fake.program.run("sync", command, web.address, input: Self.credentials)
            #expect(result.status == 6 && result.errors.contains("does not take the credentials"), "\(result.errors)")
            #expect(!result.errors.contains(Self.present))
            #expect(try Self.stored(fixture).isEmpty)
            #expect(fixture.fake.broker.calls("Found").isEmpty && fixture.fake.broker.calls("Request").isEmpty)
        }
    }

    @Test func aServerThatWantsNoneGetsNone() throws {
        let web = try ScriptedServer(passwords: [])
        let fixture = try Self.beginning()
        defer { fixture.remove() }
        let result = try fixture.fake.program.run(
            "sync", "init", web.address, "--no-service", input: .bytes(Array("\n\n".utf8)))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Self.stored(fixture).first == "\n")
        #expect(try web.requests().allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test(arguments: [
        ["https://me:secret@example.org/x"], ["http://example.org/x"], ["https://example.org/x?y"], ["https://"],
        ["s3://"], ["s3://name", "--endpoint", "http://example.org"], ["s3://name", "--region", "a b"],
        ["s3://name", "--git"],
        ["https://example.org/x", "--region", "eu"], ["/tmp", "--path-style"], ["s3://name/../x"],
    ])
    func aPlaceThatIsNoneIsRefusedBeforeAnythingIsAsked(_ words: [String]) throws {
        let fixture = try Self.beginning()
        defer { fixture.remove() }
        for command in ["init", "join", "restore"] {
            let result = try fixture.fake.program.run(["sync", command] + words, input: Self.credentials)
            #expect(result.status == 64 && !result.errors.contains("me:secret"), "\(result.errors)")
        }
        #expect(fixture.fake.broker.calls("Set").isEmpty)
    }

    /// A bucket's own words. The request is signed, and the secret stays here.
    @Test func aBucketIsNamedWithItsServer() throws {
        let web = try ScriptedServer([.init(403, body: "<Error><Code>InvalidAccessKeyId</Code></Error>")])
        let fixture = try Self.beginning()
        defer { fixture.remove() }
        let result = try fixture.fake.program.run(
            "sync", "init", "s3://name/x", "--endpoint", web.address, "--region", "eu-x-1", input: Self.credentials)
        #expect(result.status == 6 && result.errors.contains("s3://name/x"), "\(result.errors)")
        let request = try #require(try web.requests().first)
        #expect(request.target.hasPrefix("PUT /name/x/probe-"))
        #expect(request.headers["authorization"]?.contains("Credential=me/") == true)
        #expect(request.headers["authorization"]?.contains("/eu-x-1/s3/") == true)
        #expect(!request.headers.description.contains(Self.present))
    }

    @Test func whatWasRememberedIsUsed() throws {
        let web = try ScriptedServer(passwords: [Self.present])
        let fixture = try Self.sharing(web, Self.keys(Self.present, Self.former))
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "now")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try web.requests().contains { $0.line.hasPrefix("PUT /\(Self.head) ") })
    }

    @Test func theFormerPasswordIsTried() throws {
        let web = try ScriptedServer(passwords: [Self.former])
        let fixture = try Self.sharing(web, Self.keys(Self.present, Self.former))
        defer { fixture.remove() }
        #expect(try fixture.fake.program.run("sync", "now").status == 0)
    }

    @Test func aServerThatIsAwayIsNamed() throws {
        let web = try ScriptedServer(passwords: [])
        try web.stop()
        let fixture = try Self.sharing(web, Self.keys(Self.present))
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "now")
        #expect(result.status == 1 && result.errors.contains("\(web.address) cannot be reached"), "\(result.errors)")
        #expect(!result.errors.contains(Self.present))
    }

    /// A proxy of the environment would see what stays on this machine.
    @Test func noProxyIsAskedForThisMachine() throws {
        let (web, proxy) = (try ScriptedServer(passwords: []), try ScriptedServer([.init(200)]))
        var fixture = try Self.sharing(web, Self.keys(Self.present))
        defer { fixture.remove() }
        for name in ["http_proxy", "all_proxy"] { fixture.fake.program.environment[name] = proxy.address }
        #expect(try fixture.fake.program.run("sync", "now").status == 0)
        #expect(try proxy.requests().isEmpty)
    }

    @Test func aMissingLibraryIsNamed() throws {
        // There is a list to be read.
        let web = try ScriptedServer([.init(404), .init(207, body: "<multistatus xmlns=\"DAV:\"/>")])
        for (name, package) in [("libcurl.so.4", "libcurl4"), ("libexpat.so.1", "libexpat1")] {
            var fixture = try Self.sharing(web, Self.keys(Self.present))
            defer { fixture.remove() }
            // What the dynamic linker finds first is no library.
            let folder = try TemporaryFolder()
            try Data("none".utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
            fixture.fake.program.environment["LD_LIBRARY_PATH"] = folder.path
            let result = try fixture.fake.program.run("sync", "now")
            #expect(result.status == 1 && result.errors.contains("apt install \(package)"), "\(result.errors)")
            #expect(try fixture.fake.program.run("list").status == 0)
        }
    }

    @Test func thePlaceIsShownAndNoPassword() throws {
        let web = try ScriptedServer(passwords: [])
        let fixture = try Self.sharing(web, Self.keys(Self.present, Self.former))
        defer { fixture.remove() }
        let text = try fixture.fake.program.run("sync", "store", "show").text
        #expect(text.contains("WebDAV folder: \(web.address)\nUser: me\nThe credentials before"), "\(text)")
        let bucket = try SyncFixture([
            "State": [SyncFixture.shared],
            "Get": [Self.item("store:https://s3.example.org eu-x-1 path s3://name/x"), Self.keys(Self.present)],
        ])
        defer { bucket.remove() }
        let shown = try bucket.fake.program.run("sync", "store", "show")
        #expect(
            shown.text == "Bucket: s3://name/x\nServer: https://s3.example.org\nRegion: eu-x-1\nAccess key: me\n",
            "\(shown.text)\(shown.errors)")
        let json = try fixture.fake.program.run("sync", "store", "show", "--json").text
        for output in [text, json, shown.text] { #expect(!output.contains("-pass")) }
        #expect(try web.requests().isEmpty)
    }

    @Test func newCredentialsAreTriedBeforeTheyAreStored() throws {
        let web = try ScriptedServer(passwords: ["next"])
        let wrong = try Self.sharing(web, Self.keys(Self.former))
        defer { wrong.remove() }
        let refused = try wrong.fake.program.run("sync", "store", "set", input: Self.credentials)
        #expect(refused.status == 6 && refused.errors.contains("does not take the credentials"), "\(refused.errors)")
        #expect(try Self.stored(wrong).isEmpty)
        let right = try Self.sharing(web, Self.keys(Self.former))
        defer { right.remove() }
        let result = try right.fake.program.run("sync", "store", "set", input: .bytes(Array("me\nnext\n".utf8)))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Self.stored(right) == ["me\nnext\nme\n\(Self.former)\n"])
    }

    @Test func anotherPlaceIsTriedAndThenUsed() throws {
        let (web, other) = (try ScriptedServer(passwords: [Self.former]), try ScriptedServer(passwords: [Self.present]))
        let fixture = try Self.sharing(web, .fault(.notFound))
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "store", "set", other.address, input: Self.credentials)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Self.stored(fixture) == ["me\n\(Self.present)\n", "store:\(other.address)"])
        #expect(try other.requests().contains { $0.line.hasPrefix("PUT /\(Self.head) ") } && web.requests().isEmpty)
        // A folder has no credentials.
        let folder = try SyncFixture(["State": [SyncFixture.shared]])
        defer { folder.remove() }
        #expect(try folder.fake.program.run("sync", "store", "set", input: Self.credentials).status == 64)
        #expect(try folder.fake.program.run("sync", "store", "set", "--region", "x").status == 64)
    }

    @Test func theStateAndDoctorNameThePlace() throws {
        let web = try ScriptedServer(passwords: [])
        let fixture = try Self.sharing(web, Self.keys(Self.present))
        defer { fixture.remove() }
        let text = try fixture.fake.program.run("sync", "status").text
        #expect(text.contains("Folder: \(web.address) (WebDAV)"), "\(text)")
        #expect(try web.requests().isEmpty)
    }

    private static let beacon = "\(SyncFixture.circle)/beacon"

    /// And the vault is asked for the credentials once, because that is a use of it.
    @Test func theServiceAsksOnceIfNothingIsNew() throws {
        let web = try ScriptedServer(passwords: [Self.present], files: [Self.beacon: "b"])
        let watch = try WatchFixture(
            ["Get": [Self.item("store:\(web.address)"), Self.keys(Self.present)], "Give": [Self.done]],
            told: [WatchFixture.event(.updated, "github"), WatchFixture.event(.updated, "gitlab")])
        try watch.wait(for: "the first exchange") { watch.calls("Give") == 1 }
        for count in 2...3 {
            let before = try web.requests().count
            watch.tell()
            try watch.wait(for: "exchange \(count)") { watch.calls("Give") == count }
            let asked = try web.requests().dropFirst(before)
            #expect(asked.map(\.target) == ["GET /\(Self.beacon)"])
            #expect(asked.first?.headers["if-none-match"] != nil)
        }
        try watch.stop()
        #expect(watch.calls("Get") == 2)
        #expect(watch.said == "coffer: changes travel through \(web.address)\n", "\(watch.said)")
    }

    /// An emptied store can be that of somebody else by now. What it gets is for a person to decide.
    @Test func theServiceGivesAnEmptiedStoreNothing() throws {
        let web = try ScriptedServer(passwords: [])
        let watch = try WatchFixture(
            ["Get": [Self.item("store:\(web.address)"), Self.keys(Self.present)], "Give": [Self.gives]])
        try watch.wait(for: "the notice") { watch.said.contains("has nothing of what your machines share") }
        try watch.stop()
        #expect(try web.requests().allSatisfy { !$0.line.hasPrefix("PUT") } && watch.calls("Give") == 0)
    }

    /// Nothing needs them after that.
    @Test func whoLeavesKeepsNoCredentials() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.gone], "Forget": [SyncFixture.done], "Delete": [.fault(.notFound)],
            "Get": [Self.item("store:https://h/x")],
        ])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "leave")
        #expect(result.status == 0, "\(result.errors)")
        let names = try fixture.fake.broker.calls("Delete").map {
            try $0.parameters(Keychain.Delete.self)?.account ?? ""
        }
        #expect(names.count == 2 && names[0].hasPrefix("keys-") && names[1] == SyncFixture.circle)
    }

    @Test func aServerIsNoFolder() throws {
        let fixture = try SyncFixture(["State": [SyncFixture.shared]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "now", "--folder", "s3://name")
        #expect(result.status == 64 && result.errors.contains("coffer sync store set"), "\(result.errors)")
    }

    /// The service that may use the network.
    @Test func itsOwnServiceCarriesTheChanges() throws {
        let web = try ScriptedServer(passwords: [])
        var fixture = try Self.beginning()
        defer { fixture.remove() }
        let told = try SyncServiceTests.manage(&fixture)
        let result = try fixture.fake.program.run("sync", "init", web.address, input: .bytes(Array("\n\n".utf8)))
        #expect(result.status == 0 && result.errors.contains("user service coffer-sync-remote"), "\(result.errors)")
        #expect(
            SyncServiceTests.lines(told)
                == ["--user --quiet --no-ask-password enable --now coffer-sync-remote.service"])
    }

    // MARK: a program that gives the credentials

    private static func script(_ password: String, in folder: TemporaryFolder) throws -> String {
        let path = "\(folder.path)/credentials"
        try Script.write("#!/bin/sh\necho me\necho \(password)\n", to: path)
        return path
    }

    @Test func aProgramIsTriedAndThenRemembered() throws {
        let (web, folder) = (try ScriptedServer(passwords: [Self.present]), try TemporaryFolder())
        let path = try Self.script(Self.present, in: folder)
        let fixture = try Self.beginning()
        defer { fixture.remove() }
        let words = ["sync", "init", web.address, "--no-service", "--credentials-command", path]
        let result = try fixture.fake.program.run(words)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Self.stored(fixture) == ["\(path)\n", "store:\(web.address)"])
        #expect(result.errors.contains("sync join \(web.address)"), "\(result.errors)")
        #expect(!(result.text + result.errors).contains(Self.present))
        // It takes the place of what was typed before.
        let later = try Self.sharing(web, Self.keys(Self.former))
        defer { later.remove() }
        let set = try later.fake.program.run("sync", "store", "set", "--credentials-command", path)
        #expect(set.status == 0, "\(set.errors)")
        #expect(try Self.stored(later) == ["\(path)\n"])
    }

    @Test func aRememberedProgramIsRun() throws {
        let (web, folder) = (try ScriptedServer(passwords: [Self.present]), try TemporaryFolder())
        let path = try Self.script(Self.present, in: folder)
        let fixture = try Self.sharing(web, Self.item("\(path)\n"))
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "now")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try web.requests().contains { $0.line.hasPrefix("PUT /\(Self.head) ") })
        let other = try Self.sharing(web, Self.item("\(path)\n"))
        defer { other.remove() }
        let shown = try other.fake.program.run("sync", "store", "show")
        #expect(shown.text == "WebDAV folder: \(web.address)\nCredentials: given by \(path)\n", "\(shown.text)")
    }

    /// Who may use that vault may have named it (attackers 2 and 14).
    @Test(.enabled(if: geteuid() == 0, "needs two users")) func rootRunsAProgramAsTheAccountOfTheVault() throws {
        let account = try #require(try Account.named("nobody"))
        let (web, folder) = (try ScriptedServer(passwords: ["\(account.uid)"]), try TemporaryFolder())
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let path = try Self.script("$(id -u)", in: folder)
        let naming = try Self.sharing(web, Self.keys(Self.former))
        defer { naming.remove() }
        let set = try naming.fake.program.run(
            "sync", "store", "set", "--credentials-command", path, "--user", account.name)
        #expect(set.status == 0, "\(set.errors)")
        let using = try Self.sharing(web, Self.item("\(path)\n"))
        defer { using.remove() }
        let result = try using.fake.program.run("sync", "now", "--user", account.name)
        #expect(result.status == 0, "\(result.errors)")
        // An account that is not there has nobody run it.
        let unknown = try Self.sharing(web, Self.item("\(path)\n"))
        defer { unknown.remove() }
        let refused = try unknown.fake.program.run("sync", "now", "--user", "nobody-at-all")
        #expect(refused.status == 3 && refused.errors.contains("no account nobody-at-all"), "\(refused.errors)")
    }

    @Test func aProgramThatGivesWrongOnesChangesNothing() throws {
        let (web, folder) = (try ScriptedServer(passwords: [Self.present]), try TemporaryFolder())
        let wrong = try Self.script(Self.former, in: folder)
        for (path, words) in [(wrong, "does not take the credentials"), (wrong + "-none", "it is not there")] {
            let fixture = try Self.sharing(web, Self.keys(Self.present))
            defer { fixture.remove() }
            let result = try fixture.fake.program.run("sync", "store", "set", "--credentials-command", path)
            #expect(result.status != 0 && result.errors.contains(words), "\(result.errors)")
            #expect(!result.errors.contains(Self.former))
            #expect(try Self.stored(fixture).isEmpty)
        }
    }

    @Test func aProgramHasAWholePathAndAServer() throws {
        let fixture = try Self.beginning()
        defer { fixture.remove() }
        let folder = try TemporaryFolder()
        for words in [
            ["init", "s3://name", "--credentials-command", "credentials"],
            ["join", "s3://name", "--credentials-command", ""],
            ["store", "set", "--credentials-command", "./credentials"],
            ["init", folder.path, "--credentials-command", "/bin/true"],
        ] {
            let result = try fixture.fake.program.run(["sync"] + words)
            #expect(result.status == 64, "\(words) \(result.errors)")
        }
        #expect(fixture.fake.broker.calls("Set").isEmpty)
    }
}
