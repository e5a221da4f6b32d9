import Foundation
import TestSupport
import Testing

/// A vault that is bound to a real account's password: `pam_unix`, authenticator, broker and TPM as they are.
@Suite(.enabled(if: getuid() == 0, "only root can make accounts"), .serialized) struct BoundTests {
    private static let first = "correct horse"
    private static let second = "battery staple"

    /// Answers the first question with one password, and the second with another.
    private func twoAnswers(_ sandbox: Sandbox, _ answers: String...) throws -> String {
        let path = sandbox.folder + "/answers-\(UUID().uuidString.prefix(8))"
        let lines = answers.enumerated().map { "\($0.offset)) printf '%s\\n' '\($0.element)';;" }.joined(separator: " ")
        let script = """
            #!/bin/sh
            n=$(cat '\(path).count' 2>/dev/null || echo 0)
            echo $((n + 1)) >'\(path).count'
            case $n in \(lines) *) exit 1;; esac

            """
        try Script.write(script, to: path)
        try "0\n".write(toFile: path + ".count", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path + ".count")
        return path
    }

    @Test func fromBindingToAChangedPasswordToTheEnd() throws {
        let account = try RealAccount(password: Self.first)
        let sandbox = try Sandbox("--pam-dir", SourceTree.path("pam"), reachable: true)
        func coffer(_ words: String..., input: String = "", password: String? = nil, askpass: String? = nil) throws
            -> Outcome
        {
            try sandbox.coffer(
                words, input: Array(input.utf8), password: password, uid: account.uid, askpass: askpass)
        }
        #expect(try coffer("unlock", password: Self.first).code == 0)
        let early = try coffer("set", "s", "bound", "--access", "passcode-set", input: "v")
        #expect(early.code == 64 && early.errors.contains("unlock --bind"), "\(early)")
        let wrong = try coffer("unlock", "--bind", password: "wrong")
        #expect(wrong.code == 4, "\(wrong)")
        let bound = try coffer("unlock", "--bind", password: Self.first)
        #expect(bound.code == 0 && bound.errors.contains("bound to your login password"), "\(bound)")
        #expect(try coffer("set", "s", "bound", "--access", "passcode-set", input: "value").code == 0)
        #expect(try coffer("status").text.contains("Bound: to your login password"))

        // After a restart of the broker and after a lock, only the password opens it.
        try sandbox.script("stop-broker")
        try sandbox.script("start-broker")
        #expect(try coffer("get", "s", "bound").code == 5)
        #expect(try coffer("unlock", password: "wrong").code == 4)
        #expect(try coffer("unlock", password: Self.first).code == 0)
        #expect(try coffer("get", "s", "bound").text == "value")

        // The password is changed without Coffer.
        #expect(try coffer("lock").code == 0)
        try account.change(password: Self.second)
        #expect(try coffer("unlock", password: Self.first).code == 4)
        let outdated = try coffer("unlock", askpass: twoAnswers(sandbox, Self.second, "neither"))
        #expect(outdated.code == 4 && outdated.errors.contains("more wrong passwords"), "\(outdated)")
        #expect(outdated.errors.contains("coffer recovery restore"), "\(outdated)")
        #expect(try coffer("get", "s", "bound").code == 5)
        // A program that gives the present password each time uses up no try, however often it is asked.
        for _ in 0..<10 {
            let same = try coffer("unlock", password: Self.second)
            #expect(same.code == 4 && same.errors.contains("present login password"), "\(same)")
        }
        let renewed = try coffer("unlock", askpass: twoAnswers(sandbox, Self.second, Self.first))
        #expect(renewed.code == 0, "\(renewed)")
        #expect(try coffer("get", "s", "bound").text == "value")
        #expect(try coffer("lock").code == 0)
        #expect(try coffer("unlock", password: Self.second).code == 0)
        #expect(try coffer("get", "s", "bound").text == "value")

        // The command first says what will be lost.
        let asked = try coffer("unlock", "--unbind", password: Self.second)
        #expect(asked.code == 1 && asked.errors.contains("s/bound"), "\(asked)")
        #expect(try coffer("get", "s", "bound").text == "value")
        #expect(try coffer("unlock", "--unbind", "--force", password: Self.second).code == 0)
        #expect(try coffer("exists", "s", "bound").code == 3)
        let log = try coffer("log").text
        for word in ["bind", "unbind", "passcode-set destroyed", "to the changed password"] {
            #expect(log.contains(word), "\(log)")
        }
        try sandbox.expectTPMEmpty()
    }
}
