import Foundation
import Platform
import TestSupport
import Testing

@Suite("pam_coffer in a login program", .serialized)
struct LoginModuleTests {
    @Test func itBringsNothingIntoALoginProgram() throws {
        let path = try LoginModule.built.get()
        let size = try #require(try FileStatus.of(path)).size
        #expect(size > 0 && size <= 64 << 10)
        let dynamic = try Command(["readelf", "-dW", path]).output.split(separator: "\n")
        let needed = dynamic.filter { $0.contains("(NEEDED)") }
        #expect(needed.count == 2)
        #expect(needed.contains { $0.contains("[libpam.so.0]") })
        #expect(needed.contains { $0.contains("[libc.so.6]") })
        #expect(!dynamic.contains { $0.contains("RPATH") || $0.contains("RUNPATH") })
        let used = try Command(["readelf", "--dyn-syms", "-W", path]).output
        var exported: Set<String> = []
        for line in used.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 8, words[6] != "UND", words[6] != "Ndx" else { continue }
            exported.insert(String(words[7]))
        }
        let entries: Set<String> = [
            "pam_sm_authenticate", "pam_sm_setcred", "pam_sm_acct_mgmt", "pam_sm_open_session",
            "pam_sm_close_session", "pam_sm_chauthtok",
        ]
        #expect(exported == entries)
        for name in ["fork", "pthread_create", "sigaction", "signal@", "execve", "system@"] {
            #expect(!used.contains(" \(name)"))
        }
    }

    private func fixture() throws -> Fixture { try Fixture(.init(settings: "login-programs = /usr/bin/pamtester")) }

    private func service(_ fixture: Fixture, socket: String? = nil) throws -> SystemService {
        try SystemService(
            rules: LoginModule.rules(
                fixture: fixture.path, socket: socket ?? "\(fixture.path)/report.sock",
                patience: socket == nil ? "patience=99" : ""))
    }

    @Test(.enabled(if: geteuid() == 0)) func aLoginOpensTheKeychainBeforeTheSession() throws {
        let fixture = try fixture()
        let service = try service(fixture)
        let login = try service.tester(fixture.account.name, ["authenticate"], password: Fixture.password)
        #expect(login.code == 0, "\(login.output)")
        #expect(login.output.contains("successfully authenticated"))
        #expect(!login.output.lowercased().contains("coffer"))
        #expect(fixture.broker.reports == [Int64(fixture.account.uid)])
        #expect(eventually { fixture.log.contains("outcome=opened") })
        #expect(fixture.broker.completions.count == 1)
    }

    @Test(.enabled(if: geteuid() == 0)) func aWrongPasswordOpensNothing() throws {
        let fixture = try fixture()
        let service = try service(fixture)
        let login = try service.tester(fixture.account.name, ["authenticate"], password: "wrong")
        #expect(login.code != 0)
        #expect(fixture.broker.calls.isEmpty)
        #expect(!fixture.log.contains("login report"))
    }

    /// PAM continues after a `required` or `optional` module that has refused. Modules after the line can still refuse.
    @Test(
        .enabled(if: geteuid() == 0),
        arguments: [
            "required CHECK|optional CODE", "optional CHECK|optional CODE|required pam_deny.so",
            "[default=bad success=ok] CHECK|required CODE|required pam_permit.so", "optional CODE|required CHECK",
            "required CHECK|optional CODE|required pam_permit.so",
            "optional CODE|sufficient CHECK|requisite pam_deny.so",
        ])
    func whereverTheLineStandsAFailureOpensNothing(lines: String) throws {
        let fixture = try fixture()
        let module = try LoginModule.built.get()
        let rules = lines.split(separator: "|").map { "auth \($0)\n" }.joined()
            .replacingOccurrences(of: "CHECK", with: "pam_exec.so expose_authtok quiet \(fixture.path)/pam/check")
            .replacingOccurrences(of: "CODE", with: "\(module) socket=\(fixture.path)/report.sock patience=99")
        let service = try SystemService(rules: rules)
        let login = try service.tester(fixture.account.name, ["authenticate"], password: "wrong")
        #expect(login.code != 0)
        #expect(fixture.broker.calls.isEmpty)
        #expect(!fixture.log.contains("login report"))
        // The same line reports if everybody accepts. So it is not the place that keeps it silent.
        guard !lines.contains("pam_deny") || lines.contains("sufficient") else { return }
        let again = try service.tester(fixture.account.name, ["authenticate"], password: Fixture.password)
        #expect(again.code == 0, "\(again.output)")
        #expect(fixture.broker.reports == [Int64(fixture.account.uid)])
    }

    /// login(1) and many lockers let a person try again on one handle. What libpam takes away then is the attempt before.
    @Test(.enabled(if: geteuid() == 0), arguments: [1, 2, 4]) func theLastOfSeveralAttemptsOpens(failures: Int) throws {
        let fixture = try Fixture(.init(settings: "login-programs = \(LoginModule.retrying)"))
        let module = try LoginModule.built.get()
        let service = try SystemService(
            rules: """
                auth required pam_exec.so expose_authtok quiet \(fixture.path)/pam/check
                auth optional \(module) socket=\(fixture.path)/report.sock patience=99

                """)
        let passwords = Array(repeating: "wrong", count: failures) + [Fixture.password]
        let results = try service.results(fixture.account.name, passwords)
        #expect(results.count == failures + 1 && results.dropLast().allSatisfy { $0 != 0 } && results.last == 0)
        #expect(fixture.broker.reports == [Int64(fixture.account.uid)])
    }

    @Test(.enabled(if: geteuid() == 0)) func aFailureIsAsSlowAsItWas() throws {
        let fixture = try fixture()
        let module = try LoginModule.built.get()
        let service = try SystemService(
            rules: """
                auth optional pam_faildelay.so delay=2000000
                auth required pam_exec.so expose_authtok quiet \(fixture.path)/pam/check
                auth optional \(module) socket=\(fixture.path)/report.sock patience=99

                """)
        // libpam takes up to half of it off, at random.
        let login = try service.tester(fixture.account.name, ["authenticate"], password: "wrong")
        #expect(login.code != 0 && login.duration >= .seconds(1))
        #expect(fixture.broker.calls.isEmpty)
    }

    /// A finger, a token or a card: there is no password that anybody could take.
    @Test(.enabled(if: geteuid() == 0)) func aLoginWithoutAPasswordOpensTheKeychain() throws {
        let fixture = try fixture()
        let module = try LoginModule.built.get()
        try Script.write("#!/bin/sh\nexec true\n", to: "\(fixture.path)/finger")
        let service = try SystemService(
            rules: """
                auth [success=1 default=ignore] pam_exec.so quiet \(fixture.path)/finger
                auth requisite pam_deny.so
                auth optional \(module) socket=\(fixture.path)/report.sock patience=99
                auth required pam_permit.so

                """)
        let login = try service.tester(fixture.account.name, ["authenticate"])
        #expect(login.code == 0, "\(login.output)")
        #expect(fixture.broker.reports == [Int64(fixture.account.uid)])
        #expect(fixture.broker.completions.count == 1)
    }

    /// cron, and root's su, open sessions and set credentials for people who are not there.
    @Test(.enabled(if: geteuid() == 0)) func onlyTheAuthEntryReports() throws {
        let fixture = try fixture()
        let module = try "\(LoginModule.built.get()) socket=\(fixture.path)/report.sock"
        var rules = ""
        for part in ["auth", "account", "session"] {
            rules += "\(part) optional \(module)\n\(part) required pam_permit.so\n"
        }
        let service = try SystemService(rules: rules)
        let session = try service.tester(
            fixture.account.name, ["setcred(PAM_ESTABLISH_CRED)", "acct_mgmt", "open_session", "close_session"])
        #expect(session.output.contains("successfully opened a session"), "\(session.output)")
        #expect(fixture.broker.calls.isEmpty)
        #expect(!fixture.log.contains("login report"))
    }

    @Test(.enabled(if: geteuid() == 0)) func aNameThatNoAccountHasIsNotReported() throws {
        let fixture = try fixture()
        let service = try service(fixture)
        let login = try service.tester("a\",\"user\":\"root", ["authenticate"], password: Fixture.password)
        #expect(login.code == 0, "\(login.output)")
        #expect(fixture.broker.calls.isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0)) func withoutAnAuthenticatorALoginIsAsItWas() throws {
        let fixture = try fixture()
        for socket in ["\(fixture.path)/nobody.sock", "\(fixture.path)/log", "/" + String(repeating: "x", count: 300)] {
            let service = try service(fixture, socket: socket)
            let login = try service.tester(fixture.account.name, ["authenticate"], password: Fixture.password)
            #expect(login.code == 0, "\(login.output)")
            #expect(!login.output.lowercased().contains("coffer"))
        }
        #expect(fixture.broker.calls.isEmpty)
    }

    /// The module gives up after 1.5 seconds.
    @Test(.enabled(if: geteuid() == 0), arguments: HungAuthenticator.Kind.allCases)
    func aHungAuthenticatorHoldsUpNoLogin(kind: HungAuthenticator.Kind) throws {
        let fixture = try fixture()
        let hung = try HungAuthenticator(kind, path: "\(fixture.path)/hung.sock")
        let service = try service(fixture, socket: "\(fixture.path)/hung.sock")
        let login = try service.tester(fixture.account.name, ["authenticate"], password: Fixture.password)
        #expect(login.code == 0, "\(login.output)")
        // That something waited at all shows that the module reached the authenticator that hangs.
        #expect(login.duration >= .milliseconds(1400))
        // Without the time limit the wait would never end.
        #expect(login.duration < .seconds(60))
        #expect(!login.output.lowercased().contains("coffer"))
        hung.stop()
    }
}
