import Foundation
import PAM
import TestSupport
import Testing

/// With pam_unix and the installed stacks, for an account that is made for the test.
@Suite("Real accounts", .enabled(if: UnixAccount.possible, "needs root, useradd and pam_unix"))
struct UnixAccountTests {
    let directory: ServiceDirectory
    let service: Service

    init() throws {
        directory = try ServiceDirectory()
        service = try directory.service(try SourceTree.text("pam/coffer"))
    }

    @Test func theLoginPasswordPassesAndAnotherDoesNot() throws {
        let account = try UnixAccount(password: "correct horse")
        #expect(outcome(service, user: account.name, ScriptedPrompter("correct horse")) == nil)
        #expect(outcome(service, user: account.name, ScriptedPrompter("wrong"))?.code == .wrongPassword)
    }

    @Test func anUnknownUserLooksLikeAWrongPassword() throws {
        let prompter = ScriptedPrompter("anything")
        #expect(outcome(service, user: "coffer-test-nobody", prompter)?.code == .wrongPassword)
        #expect(prompter.seen.map(\.style) == [.secret])
    }

    @Test func anExpiredAccountIsRefused() throws {
        let account = try UnixAccount(password: "correct horse")
        try account.change("-E", "0")
        let prompter = ScriptedPrompter("correct horse")
        let error = outcome(service, user: account.name, prompter)
        #expect(error?.code == .accountExpired)
        // pam_unix and Coffer send the person to the same place.
        #expect(prompter.seen.contains { $0.text.contains("administrator") })
        #expect(error?.advice.contains("administrator") == true && error?.advice.contains("passwd") == false)
    }

    /// The password expired so long ago that `passwd` no longer helps.
    @Test func aPasswordThatCanNoLongerBeChangedIsForTheAdministrator() throws {
        let account = try UnixAccount(password: "correct horse")
        try account.change("-d", "2020-01-01", "-M", "1", "-I", "1")
        let error = outcome(service, user: account.name, ScriptedPrompter("correct horse"))
        #expect(error?.code == .accountExpired)
        #expect(error?.advice.contains("passwd") == false)
    }

    @Test func aPasswordThatMustBeChangedIsRefused() throws {
        let account = try UnixAccount(password: "correct horse")
        try account.change("-d", "0")
        let error = outcome(service, user: account.name, ScriptedPrompter("correct horse"))
        #expect(error?.code == .newPasswordRequired)
        #expect(error?.advice == "change it with: passwd")
    }

    /// Not even if the machine's own stack would accept it, as many do with `nullok`.
    @Test(arguments: ["", " nullok"]) func anEmptyPasswordIsNoFactor(option: String) throws {
        let account = try UnixAccount(password: nil)
        #expect(outcome(service, user: account.name, ScriptedPrompter(""))?.code == .wrongPassword)
        let own = try directory.service(
            "auth required pam_unix.so\(option)\naccount required pam_unix.so", name: "coffer-own")
        #expect(outcome(own, user: account.name, ScriptedPrompter(""))?.code == .wrongPassword)
    }

    /// The installed stacks name the modules of SSSD, LDAP and winbind. A program stands for one of them here: it knows an account that pam_unix
    /// does not let in.
    @Test(arguments: ["pam_sss.so", "pam_ldap.so", "pam_winbind.so"], ["coffer", "coffer-passcode"])
    func aDirectorysPasswordPassesAndAnotherDoesNot(module: String, file: String) throws {
        let account = try UnixAccount(password: nil)
        let stack = try SourceTree.text("pam/\(file)")
        let check = try directory.script(
            "read -r given || [ -n \"$given\" ] || exit 1\n[ \"$given\" = 'of the directory' ]")
        let answered = stack.replacingOccurrences(
            of: "\(module) use_first_pass", with: "pam_exec.so expose_authtok quiet \(check)")
        #expect(answered != stack)
        let service = try directory.service(answered, name: "coffer-directory")
        #expect(outcome(service, user: account.name, ScriptedPrompter("of the directory")) == nil)
        #expect(outcome(service, user: account.name, ScriptedPrompter("wrong"))?.code == .wrongPassword)
        // As the shipped file is, on a machine without such a module.
        let without = try directory.service(stack, name: "coffer-without")
        #expect(outcome(without, user: account.name, ScriptedPrompter("of the directory"))?.code == .wrongPassword)
    }

    /// pam_unix lets an account of a directory in: no line of /etc/shadow says that it has ended.
    @Test(
        arguments: ["pam_sss.so", "pam_ldap.so", "pam_winbind.so"], ["coffer", "coffer-passcode", "coffer-biometric"])
    func anAccountThatTheDirectoryRefusesIsRefused(module: String, file: String) throws {
        let account = try UnixAccount(password: "correct horse")
        let lines = try installedLines(file)
        let whole = try directory.service(lines.joined(separator: "\n"), name: "coffer-whole")
        #expect(outcome(whole, user: account.name, ScriptedPrompter("correct horse")) == nil)
        let refusing = lines.map { line in
            line.hasPrefix("-account") ? line.replacingOccurrences(of: module, with: "pam_deny.so") : line
        }
        let service = try directory.service(refusing.joined(separator: "\n"), name: "coffer-refusing")
        let error = outcome(service, user: account.name, ScriptedPrompter("correct horse"))
        #expect(error?.call == .account, "\(String(describing: error))")
    }

    /// Somebody who has proven that they are there is still refused by each of the three.
    @Test func eachStackAsksTheSameOfAnAccount() throws {
        func rules(_ file: String) throws -> [String] {
            try installedLines(file).filter { $0.hasPrefix("account") || $0.hasPrefix("-account") }.map {
                $0.split(separator: " ").joined(separator: " ")
            }
        }
        let first = try rules("coffer")
        #expect(first.count == 4)
        for file in ["coffer-passcode", "coffer-biometric"] { #expect(try rules(file) == first, "\(file)") }
    }
}
