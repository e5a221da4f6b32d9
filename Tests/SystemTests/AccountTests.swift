import Foundation
import TestSupport
import Testing

/// The PAM files as they are installed, with pam_unix and a real account.
@Suite(.enabled(if: getuid() == 0, "only root can make accounts and read shadow passwords")) struct AccountTests {
    @Test func aRealPasswordOpensAWrongOneAndAnExpiredAccountDoNot() throws {
        let account = try RealAccount(password: "correct horse")
        let sandbox = try Sandbox("--pam-dir", SourceTree.path("pam"), reachable: true)
        let refused = try sandbox.coffer("set", "s", "gated", input: [1], password: "battery staple", uid: account.uid)
        #expect(refused.code == 4, "\(refused)")
        #expect(try sandbox.coffer("unlock", password: "correct horse", uid: account.uid).code == 0)
        #expect(
            try sandbox.coffer("set", "s", "gated", "--require", "presence", input: [7], uid: account.uid).code == 0)
        #expect(try sandbox.coffer("get", "s", "gated", password: "correct horse", uid: account.uid).output == [7])
        let wrong = try sandbox.coffer("get", "s", "gated", password: "battery staple", uid: account.uid)
        #expect(wrong.code == 4 && wrong.output.isEmpty, "\(wrong)")
        try account.expire()
        let expired = try sandbox.coffer("get", "s", "gated", password: "correct horse", uid: account.uid)
        #expect(expired.code == 4 && expired.output.isEmpty, "\(expired)")
        #expect(expired.errors.contains("expired") && expired.errors != wrong.errors, "\(expired)")
        try sandbox.expectTPMEmpty()
    }
}
