import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import PAM
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

@Suite("A reported login opens the keychain, and only a login does", .enabled(if: geteuid() == 0))
struct ReportTests {
    /// The test's own program is listed.
    private static func listed(_ program: String? = nil) throws -> Fixture.Options {
        let path = try program ?? ProcessLink.read("exe", of: getpid())
        return Fixture.Options(settings: "login-programs = \(path)")
    }

    private func report(_ user: String, to fixture: Fixture) throws -> Bool {
        try send(Varlink.encode(VarlinkCall(Login.Report(user: user))), to: fixture)
    }

    private func send(_ bytes: [UInt8], to fixture: Fixture) throws -> Bool {
        var socket = try UnixSocket(connectingTo: "\(fixture.path)/report.sock", until: .now + patience)
        try socket.send(bytes, until: .now + patience)
        let message = try socket.receiveMessage(limit: 4096, until: .now + patience)
        let answer = try #require(message, "\(fixture.log)")
        return try Varlink.decode(VarlinkReply<Login.Report.Reply>.self, from: answer).parameters.opened
    }

    /// A report of another program, Python. It can be listed, and started as any user and anywhere.
    private static let python = URL(fileURLWithPath: "/usr/bin/python3").resolvingSymlinksInPath().path

    private func reportByAnother(_ fixture: Fixture, through words: [String] = []) throws -> Bool? {
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(600)
            s.connect(sys.argv[1])
            s.sendall(b'{"method":"org.coffer.Login.Report","parameters":{"user":"%s"}}\\0' % sys.argv[2].encode())
            print(s.recv(1000).decode())
            """
        let said = try Command(
            words + [Self.python, "-I", "-c", script, "\(fixture.path)/report.sock", fixture.account.name])
        if said.output.contains("\"opened\":true") { return true }
        return said.output.contains("\"opened\":false") ? false : nil
    }

    @Test func aBoundKeychainIsNotOpenedByAWordAlone() throws {
        var options = try Self.listed()
        let policy = [UInt8](repeating: 3, count: 32)
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: policy))
        let binding = try #require(BindingPin(index: index, salt: [UInt8](repeating: 1, count: 16)))
        options.changeRecord = { record in
            RegistryRecord(
                vault: record.vault, owner: record.owner, ownerName: record.ownerName, created: record.created,
                sealer: .tpm, authenticatorKey: record.authenticatorKey,
                storageKey: StorageKeyPin(handle: 0x8100_0001, name: [0, 11] + policy, context: [1]),
                counter: CounterPin(handle: 0x01B0_C003, base: 0, context: [1]),
                objects: record.objects
            ).with(binding: binding, unlockRoot: record.objects[.unlockRoot] ?? [])
        }
        let fixture = try Fixture(options)
        #expect(try !report(fixture.account.name, to: fixture))
        #expect(fixture.broker.calls == [])
        #expect(eventually { fixture.log.contains("bound: opens at its first use") })
    }

    @Test func aListedProgramOpensTheKeychain() throws {
        let fixture = try Fixture(Self.listed())
        #expect(try report(fixture.account.name, to: fixture))
        #expect(fixture.broker.calls == ["Report", "Prepare", "Complete"])
        #expect(fixture.broker.reports == [Int64(fixture.account.uid)])
        let request = try #require(
            SigningRequest(
                nonce: [UInt8](repeating: 0x11, count: 32), parameterHash: [UInt8](repeating: 0x22, count: 32),
                reference: fixture.record.policyReference(for: .unlock)))
        let completion = try #require(fixture.broker.completions.first)
        #expect(completion.challenge == "report")
        let signature = try #require(Data(base64Encoded: completion.signature))
        #expect(
            try P256.isValid(signature: [UInt8](signature), for: request.message(), publicKey: fixture.key.publicKey))
        #expect(eventually { fixture.log.contains("outcome=opened") })
    }

    /// Only root's configuration says which programs unlock screens. Such a program must also be a listed one.
    @Test func whoUnlocksScreensIsForTheConfigurationToSay() throws {
        let path = try ProcessLink.read("exe", of: getpid())
        let plain = try Fixture(Self.listed())
        #expect(try report(plain.account.name, to: plain))
        #expect(plain.broker.screens == [false])
        let screen = try Fixture(
            Fixture.Options(settings: "login-programs = \(path)\nscreen-programs = /bin/x \(path)"))
        #expect(try report(screen.account.name, to: screen))
        #expect(screen.broker.screens == [true])
        let unlisted = try Fixture(Fixture.Options(settings: "screen-programs = \(path)"))
        #expect(try !report(unlisted.account.name, to: unlisted))
        #expect(unlisted.broker.calls.isEmpty)
    }

    private func rules(account: String) throws -> Fixture.Options {
        var options = try Self.listed()
        options.pam = "auth required pam_permit.so\n\(account)"
        return options
    }

    /// A login program reports its verdict on the password, before it asks its account rules.
    @Test(arguments: [
        ("pam_debug.so acct=acct_expired", "outcome=expired (Failed)"),
        ("pam_debug.so acct=new_authtok_reqd", "outcome=expired (Failed)"),
        ("pam_debug.so acct=perm_denied", "outcome=denied (Failed)"),
        ("no-such-module.so", "outcome=other (Misconfigured)"),
    ])
    func anAccountThatMayNotBeUsedOpensNothing(module: String, outcome: String) throws {
        let fixture = try Fixture(rules(account: "account required \(module)"))
        #expect(try !report(fixture.account.name, to: fixture))
        #expect(fixture.broker.calls.isEmpty)
        #expect(eventually { fixture.log.contains(outcome) }, "\(fixture.log)")
    }

    /// A password that is valid for some days more, for example.
    @Test func aTextOfTheAccountRulesStopsNobody() throws {
        let file = try TemporaryFolder()
        try DurableFile.write(Array("Your password will expire\n".utf8), to: "\(file.path)/text", mode: 0o644)
        let text = "account optional pam_echo.so file=\(file.path)/text\naccount required pam_permit.so"
        let fixture = try Fixture(rules(account: text))
        #expect(try report(fixture.account.name, to: fixture))
        #expect(fixture.broker.completions.count == 1)
    }

    @Test func accountRulesThatDoNotEndOpenNothing() throws {
        let folder = try TemporaryFolder()
        let (goes, ended) = ("\(folder.path)/goes", "\(folder.path)/ended")
        let script = "#!/bin/sh\nwhile [ ! -e '\(goes)' ]; do sleep 0.1; done\n: >'\(ended)'\n"
        try Script.write(script, to: "\(folder.path)/wait")
        let rules = "auth required pam_permit.so\naccount required pam_exec.so quiet \(folder.path)/wait\n"
        try DurableFile.write(Array(rules.utf8), to: "\(folder.path)/coffer", mode: 0o644)
        let account = try #require(try Account.withUID(geteuid()))
        let service = Service(name: "coffer", directory: folder.path)
        let check = AccountRules(service: service, user: account.name, limit: .milliseconds(200))
        #expect(throws: ConversationError.self) { try check.check() }
        // The module's program ends before the test does.
        try DurableFile.write([], to: goes, mode: 0o600)
        #expect(eventually { FileManager.default.fileExists(atPath: ended) })
    }

    @Test func anUnlistedProgramIsRefused() throws {
        let fixture = try Fixture()
        #expect(try !report(fixture.account.name, to: fixture))
        #expect(fixture.broker.calls.isEmpty)
        #expect(eventually { fixture.log.contains("is not among login-programs") })
    }

    @Test func onlyRootMayOpenTheSocket() throws {
        let fixture = try Fixture(Self.listed())
        let status = try #require(try FileStatus.of("\(fixture.path)/report.sock"))
        #expect(status.mode == 0o600)
        #expect(status.uid == 0)
    }

    @Test func aUserWhoReachesTheSocketIsRefused() throws {
        let fixture = try Fixture(Self.listed(Self.python))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: "\(fixture.path)/report.sock")
        #expect(try reportByAnother(fixture) == true)
        let user = ["/usr/bin/setpriv", "--reuid=2", "--regid=2", "--clear-groups"]
        #expect(try reportByAnother(fixture, through: user) == false)
        #expect(fixture.broker.reports.count == 1)
        #expect(eventually { fixture.log.contains("not from root") })
    }

    @Test(
        .enabled(if: Command.canMakeNamespaces),
        arguments: [["--mount"], ["--pid", "--fork"], ["--user", "--map-root-user"]])
    func aRootOfAContainerIsRefused(kind: [String]) throws {
        let fixture = try Fixture(Self.listed(Self.python))
        #expect(try reportByAnother(fixture) == true)
        #expect(try reportByAnother(fixture, through: ["/usr/bin/unshare"] + kind) == false)
        #expect(fixture.broker.reports.count == 1)
    }

    @Test func aLoginIsGoodForNothingButOpening() throws {
        let fixture = try Fixture(Self.listed())
        fixture.broker.change { $0.reported?.authorizations.append(.init(kind: "presence")) }
        #expect(try !report(fixture.account.name, to: fixture))
        fixture.broker.change { $0.reported?.authorizations = [.init(kind: "recovery")] }
        #expect(try !report(fixture.account.name, to: fixture))
        #expect(!fixture.broker.calls.contains("Prepare"))
        #expect(fixture.broker.refusals == ["other", "other"])
    }

    /// The TPM has refused the signature.
    @Test func aVaultThatStaysClosedIsNotReportedAsOpen() throws {
        let fixture = try Fixture(Self.listed())
        let refusal = Varlink.encode(Fault(.brokerFailed, "no"))
        fixture.broker.change { $0.refusedCompletions = [refusal] }
        #expect(try !report(fixture.account.name, to: fixture))
        #expect(fixture.broker.completions.count == 1 && fixture.broker.refusals == ["other"])
        #expect(eventually { fixture.log.contains("outcome=other (NotCompleted)") }, "\(fixture.log)")
    }

    @Test func theLogSaysWhoReportedWhomAndWhatCameOfIt() throws {
        let fixture = try Fixture(Self.listed())
        #expect(try report(fixture.account.name, to: fixture))
        #expect(try !report("no-such-account-here", to: fixture))
        let program = try ProcessLink.read("exe", of: getpid())
        func lines() -> [Substring] { fixture.log.split(separator: "\n").filter { $0.contains("login report") } }
        #expect(eventually { lines().count == 2 })
        for line in lines() { #expect(line.contains("pid=\(getpid()) program=\(program.prefix(100))"), "\(line)") }
        #expect(lines().count { $0.contains("outcome=opened") && $0.contains("uid=\(fixture.account.uid)") } == 1)
        #expect(lines().count { $0.contains("outcome=denied (Failed)") && $0.contains("reason=") } == 1)
    }

    /// Only so many are taken at the same time, and each that has ended makes room.
    @Test func manyLoginsOneAfterTheOtherAreTaken() throws {
        let fixture = try Fixture(Self.listed())
        for number in 0..<40 { #expect(try report(fixture.account.name, to: fixture), "\(number)") }
        #expect(fixture.broker.completions.count == 40)
    }

    @Test func onlyTheRegisteredVaultIsOpened() throws {
        let fixture = try Fixture(Self.listed())
        let other = try VaultID.random().hex
        fixture.broker.change { $0.reported?.vault = other }
        #expect(try !report(fixture.account.name, to: fixture))
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test func anotherAccountsRecordOpensNothing() throws {
        var options = try Self.listed()
        options.changeRecord = { record in
            RegistryRecord(
                vault: record.vault, owner: record.owner, ownerName: "former", created: record.created,
                sealer: record.sealer, authenticatorKey: record.authenticatorKey, storageKey: record.storageKey,
                objects: record.objects)
        }
        let fixture = try Fixture(options)
        #expect(try !report(fixture.account.name, to: fixture))
        #expect(fixture.broker.calls.isEmpty)
    }

    @Test func whereThereIsNothingToOpenNothingHappens() throws {
        var options = try Self.listed()
        options.hasVault = false
        let bare = try Fixture(options)
        #expect(try !report(bare.account.name, to: bare))
        #expect(bare.broker.calls.isEmpty)

        let open = try Fixture(Self.listed())
        open.broker.change {
            $0.reported?.challenge = nil
            $0.reported?.authorizations = []
        }
        #expect(try report(open.account.name, to: open))
        #expect(open.broker.calls == ["Report"])
    }

    @Test(arguments: [
        #"{"method":"org.coffer.Login.Report","parameters":{"user":"no-such-account-here"}}"#,
        #"{"method":"org.coffer.Login.Report","parameters":{"user":""}}"#,
        #"{"method":"org.coffer.Authentication.Begin","parameters":{"user":"root"}}"#,
        #"{"method":"org.coffer.Login.Report"}"#, "[]", "", "\u{1}\u{7f}",
        "{\"method\":\"" + String(repeating: "x", count: 4000) + "\"}",
    ])
    func whatIsNoReportOpensNothing(call: String) throws {
        let fixture = try Fixture(Self.listed())
        #expect(try !send(Array(call.utf8) + [0], to: fixture))
        #expect(fixture.broker.calls.isEmpty)
    }

    @Test func aBrokerThatIsNotThereIsNoTroubleForTheLogin() throws {
        let fixture = try Fixture(Self.listed())
        fixture.broker.stop()
        #expect(try !report(fixture.account.name, to: fixture))
    }
}
