import Foundation
import PAM
import TestSupport
import Testing

/// The account rules of each installed stack, with pam_unix and an account that is made for the test.
@Suite("Account rules", .enabled(if: UnixAccount.possible, "needs root, useradd and pam_unix"))
struct AccountRuleTests {
    let directory: ServiceDirectory

    init() throws { directory = try ServiceDirectory() }

    /// Neither the password nor the finger opens anything for an account that has ended.
    @Test(arguments: ["coffer", "coffer-passcode", "coffer-biometric"])
    func anAccountThatHasEndedIsRefusedByEachStack(file: String) throws {
        let account = try UnixAccount(password: "correct horse")
        let service = try directory.service(try installedLines(file).joined(separator: "\n"), name: file)
        #expect(outcome(service, user: account.name, ScriptedPrompter("correct horse")) == nil)
        try account.change("-d", "0")
        let changed = outcome(service, user: account.name, ScriptedPrompter("correct horse"))
        #expect(changed?.code == .newPasswordRequired && changed?.call == .account)
        try account.change("-E", "0")
        let ended = outcome(service, user: account.name, ScriptedPrompter("correct horse"))
        #expect(ended?.code == .accountExpired && ended?.call == .account)
    }

    /// Otherwise a directory that is down would lock this machine's own accounts out.
    @Test(
        arguments: ["pam_sss.so", "pam_ldap.so", "pam_winbind.so"], ["coffer", "coffer-passcode", "coffer-biometric"])
    func aDirectoryThatDoesNotAnswerRefusesNobody(module: String, file: String) throws {
        let account = try UnixAccount(password: "correct horse")
        let lines = try installedLines(file)
        let rule = try #require(lines.firstIndex { $0.hasPrefix("-account") && $0.hasSuffix(module) })
        // The last answer shows that this line counts.
        for (answer, code) in [
            ("authinfo_unavail", nil), ("user_unknown", nil), ("acct_expired", .accountExpired),
        ] as [(String, PAMError.Code?)] {
            var changed = lines
            changed[rule] = changed[rule].replacingOccurrences(of: module, with: "pam_debug.so acct=\(answer)")
            let service = try directory.service(changed.joined(separator: "\n"), name: "coffer-silent")
            #expect(outcome(service, user: account.name, ScriptedPrompter("correct horse"))?.code == code, "\(answer)")
        }
    }
}
