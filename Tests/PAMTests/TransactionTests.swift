import Foundation
import PAM
import Testing

@Suite("PAM transactions through the real libpam")
struct TransactionTests {
    let directory: ServiceDirectory

    init() throws { directory = try ServiceDirectory() }

    @Test func theRightPasswordPasses() throws {
        let prompter = ScriptedPrompter("correct horse")
        #expect(outcome(try directory.passwordService("correct horse"), prompter) == nil)
        #expect(prompter.seen.map(\.style) == [.secret])
    }

    @Test func aWrongPasswordIsRefusedAndKeepsItsCode() throws {
        let error = outcome(try directory.passwordService("right"), ScriptedPrompter("wrong"))
        #expect(error?.code == .wrongPassword)
        #expect(error?.rawCode == 7)
        #expect(error?.call == .authenticate)
    }

    @Test func aProgramThatRefusesAnAnswerRefusesAPassword() throws {
        let check = try directory.script("read -r given; [ \"$given\" = right ]")
        let service = try directory.service(
            "auth required pam_exec.so expose_authtok quiet \(check)\naccount required pam_permit.so")
        let error = outcome(service, ScriptedPrompter("wrong"))
        #expect(error?.code == .wrongPassword)
        #expect(error?.rawCode == 4)
        #expect(outcome(service, ScriptedPrompter("right")) == nil)
    }

    @Test(arguments: [
        ("auth required pam_permit.so", Contact.nothing),
        ("auth optional pam_echo.so file=TEXT\nauth required pam_permit.so", .text),
        ("auth optional pam_echo.so file=BLANK\nauth required pam_permit.so", .nothing),
        ("auth required pam_exec.so expose_authtok quiet /bin/true", .hiddenAnswer),
        ("auth required pam_permit.so\naccount optional pam_echo.so file=TEXT", .nothing),
    ])
    func whatTheAuthRulesDidWithThePersonIsKnown(rules: String, contact: Contact) throws {
        let (text, blank) = ("\(directory.path)/text", "\(directory.path)/blank")
        try Data("Look here\n".utf8).write(to: URL(fileURLWithPath: text))
        try Data(" \n".utf8).write(to: URL(fileURLWithPath: blank))
        let service = try directory.service(
            rules.replacingOccurrences(of: "TEXT", with: text).replacingOccurrences(of: "BLANK", with: blank)
                + "\naccount required pam_permit.so")
        var transaction = try Transaction.start(
            service: service, user: "coffer-nobody", terminal: nil, requester: "coffer-nobody",
            conversation: ScriptedPrompter("something"))
        #expect(try transaction.authenticate() == contact)
        try transaction.checkAccount()
    }

    @Test func anEmptyHiddenAnswerIsNoPassword() throws {
        let service = try directory.service(
            "auth required pam_exec.so expose_authtok quiet /bin/true\naccount required pam_permit.so")
        var transaction = try Transaction.start(
            service: service, user: "coffer-nobody", terminal: nil, requester: "coffer-nobody",
            conversation: ScriptedPrompter(""))
        #expect(try transaction.authenticate() == .answer)
    }

    @Test func theAccountIsAskedAfterThePassword() throws {
        let service = try directory.passwordService("right", account: "account required pam_deny.so")
        let error = outcome(service, ScriptedPrompter("right"))
        #expect(error?.call == .account)
        #expect(error?.code == .denied)
    }

    @Test(arguments: [
        ("perm_denied", PAMError.Code.denied), ("user_unknown", .wrongPassword), ("maxtries", .tooManyTries),
        ("acct_expired", .accountExpired), ("new_authtok_reqd", .newPasswordRequired), ("system_err", .misconfigured),
        ("abort", .misconfigured), ("authinfo_unavail", .unavailable), ("cred_expired", .newPasswordRequired),
    ])
    func codesAreToldApart(name: String, code: PAMError.Code) throws {
        let service = try directory.service("auth required pam_debug.so auth=\(name)\naccount required pam_permit.so")
        #expect(outcome(service, ScriptedPrompter())?.code == code)
    }

    @Test(arguments: [
        ("acct_expired", PAMError.Code.accountExpired), ("new_authtok_reqd", .newPasswordRequired),
        ("auth_err", .denied),
    ])
    func accountCodesAreRefusals(name: String, code: PAMError.Code) throws {
        let service = try directory.service("auth required pam_permit.so\naccount required pam_debug.so acct=\(name)")
        let error = outcome(service, ScriptedPrompter())
        #expect(error?.code == code)
        #expect(error?.call == .account)
    }

    @Test func aMissingServiceNeverFallsBackToOther() throws {
        _ = try directory.service("auth required pam_permit.so\naccount required pam_permit.so", name: "other")
        let error = outcome(Service(name: "coffer", directory: directory.path), ScriptedPrompter())
        #expect(error?.code == .misconfigured)
        #expect(error?.call == .start)
    }

    @Test(arguments: ["auth required pam_permit.so", "account required pam_permit.so", "", "# auth x\n#account x"])
    func halfAServiceIsMisconfigured(rules: String) throws {
        _ = try directory.service("auth required pam_permit.so\naccount required pam_permit.so", name: "other")
        #expect(outcome(try directory.service(rules), ScriptedPrompter())?.code == .misconfigured)
    }

    @Test(arguments: ["../coffer", "", "co ffer", "COFFER", "a/b"])
    func aServiceNameIsNoPath(name: String) {
        #expect(outcome(Service(name: name, directory: directory.path), ScriptedPrompter())?.code == .misconfigured)
    }

    @Test func aMissingModuleIsMisconfigured() throws {
        let service = try directory.service("auth required pam_no_such_module.so\naccount required pam_permit.so")
        #expect(outcome(service, ScriptedPrompter())?.code == .misconfigured)
    }

    @Test func anUnreadableRuleIsMisconfiguredOrDenied() throws {
        let service = try directory.service("auth sometimes pam_permit.so\naccount required pam_permit.so")
        #expect(outcome(service, ScriptedPrompter()) != nil)
    }

    @Test func terminalAndRequesterReachTheModules() throws {
        let seen = "\(directory.path)/seen"
        let note = try directory.script("echo \"$PAM_TTY $PAM_RUSER $PAM_USER $PAM_SERVICE\" > \(seen)", name: "note")
        let service = try directory.service("auth required pam_exec.so quiet \(note)\naccount required pam_permit.so")
        #expect(outcome(service, user: "ada", terminal: "pts/7", ScriptedPrompter()) == nil)
        #expect(try String(contentsOfFile: seen, encoding: .utf8) == "pts/7 ada ada coffer\n")
    }

    @Test func aFailureDelayIsOursToWait() throws {
        let service = try directory.service(
            "auth optional pam_faildelay.so delay=200000000\nauth required pam_deny.so\naccount required pam_permit.so")
        let prompter = ScriptedPrompter()
        let start = ContinuousClock.now
        #expect(outcome(service, prompter)?.code == .wrongPassword)
        // libpam itself would have slept for 100 to 300 seconds.
        #expect(start.duration(to: .now) < .seconds(80))
        #expect(prompter.pauses.count == 1)
    }

    @Test func transactionsLeaveNoDescriptorBehind() throws {
        let service = try directory.passwordService("right")
        let count = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        _ = outcome(service, ScriptedPrompter("right"))
        let before = try count()
        for _ in 0..<100 { _ = outcome(service, ScriptedPrompter("wrong")) }
        // Other tests run beside this one, and have descriptors of their own: dozens at most.
        #expect(try count() < before + 100)
    }
}
