import Foundation
import PAM
import Testing

/// With pam_unix and the installed stacks, for an account that is made for the test.
@Suite("Real accounts", .enabled(if: UnixAccount.possible, "needs root, useradd and pam_unix"))
struct UnixAccountTests {
    let directory: ServiceDirectory
    let service: Service

    init() throws {
        directory = try ServiceDirectory()
        let stack = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../pam/coffer").standardizedFileURL
        service = try directory.service(try String(contentsOf: stack, encoding: .utf8))
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
        #expect(outcome(service, user: account.name, ScriptedPrompter("correct horse"))?.code == .accountExpired)
    }

    @Test func aPasswordThatMustBeChangedIsRefused() throws {
        let account = try UnixAccount(password: "correct horse")
        try account.change("-d", "0")
        #expect(outcome(service, user: account.name, ScriptedPrompter("correct horse"))?.code == .newPasswordRequired)
    }

    /// Not even if the machine's own stack would accept it, as many do with `nullok`.
    @Test(arguments: ["", " nullok"]) func anEmptyPasswordIsNoFactor(option: String) throws {
        let account = try UnixAccount(password: nil)
        #expect(outcome(service, user: account.name, ScriptedPrompter(""))?.code == .wrongPassword)
        let own = try directory.service(
            "auth required pam_unix.so\(option)\naccount required pam_unix.so", name: "coffer-own")
        #expect(outcome(own, user: account.name, ScriptedPrompter(""))?.code == .wrongPassword)
    }
}
