import Foundation
import TestSupport
import Testing

/// The TPM was cleared. What the messages name is followed word for word, and brings the secrets back.
@Suite(.enabled(if: geteuid() == 0, "needs root")) struct ClearedTPMTests {
    @Test func theCommandsOfTheMessagesRestoreTheSecrets() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.coffer("set", "mail", "me", input: Array("one".utf8), password: "sandbox").code == 0)
        let code = try sandbox.newRecoveryCode()
        // What this machine opens is not moved by mistake.
        let early = try sandbox.coffer("vault", "set-aside", "--user", "root")
        #expect(early.code == 6 && early.errors.contains("--force"), "\(early)")
        #expect(try sandbox.coffer("get", "mail", "me").text == "one")

        try sandbox.tpm("tpm2_clear", "-c", "p")
        try sandbox.script("stop-broker")
        try sandbox.script("start-broker")
        let told = try sandbox.coffer("get", "mail", "me")
        #expect(told.code == 8 && told.errors.contains("coffer vault set-aside --user"), "\(told)")
        let doctor = try sandbox.coffer("doctor", "--problems")
        #expect(doctor.text.contains("coffer vault set-aside --user root"), "\(doctor)")

        let moved = try sandbox.coffer("vault", "set-aside", "--user", "root")
        #expect(moved.code == 0, "\(moved)")
        let words = try #require(moved.errors.split(separator: "\n").last?.split(separator: " ").map(String.init))
        #expect(words.prefix(3) == ["coffer", "recovery", "restore"], "\(moved)")
        let copy = try #require(FileManager.default.attributesOfItem(atPath: words[3])[.posixPermissions] as? Int)
        #expect(copy == 0o400)
        let restored = try sandbox.coffer(
            Array(words.dropFirst()), input: Array((code + "\n").utf8), password: "sandbox")
        #expect(restored.code == 0, "\(restored)")
        #expect(try sandbox.coffer("get", "mail", "me").text == "one")
        let healthy = try sandbox.coffer("doctor")
        #expect(!healthy.text.contains("not whole") && healthy.text.contains("the access log is whole"), "\(healthy)")
        // Nothing was removed: each part is still there under its new name.
        let names = try #require(FileManager.default.enumerator(atPath: sandbox.directory)).compactMap { $0 as? String }
        for suffix in [".vault", ".log", ".json"] {
            #expect(names.contains { $0.contains("set-aside/user-0.") && $0.hasSuffix(suffix) }, "\(names)")
        }
    }
}
