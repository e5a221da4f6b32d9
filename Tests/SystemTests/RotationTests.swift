import Foundation
import Testing

/// All keys are renewed with the whole system: broker, authenticator, PAM, TPM.
@Suite struct RotationTests {
    private static func files(of sandbox: Sandbox, uid: UInt32 = geteuid()) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for folder in ["vaults", "registry/vaults"] {
            let path = sandbox.directory + "/" + folder
            for name in try FileManager.default.contentsOfDirectory(atPath: path)
            where name == "user-\(uid).vault" || name == "user-\(uid).json" {
                files["\(path)/\(name)"] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
            }
        }
        return files
    }

    @Test(.timeLimit(.minutes(30))) func aCopyFromBeforeIsRefusedByTheTPM() throws {
        let sandbox = try Sandbox()
        let value = (0..<200).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try sandbox.coffer("set", "mail", "me", input: value, password: "sandbox").code == 0)
        #expect(try sandbox.coffer("set", "bank", "me", "--require", "presence", input: [1, 2]).code == 0)
        try sandbox.script("stop-broker")
        let old = try Self.files(of: sandbox)
        #expect(old.count == 2, "\(old.keys)")
        try sandbox.script("start-broker")
        let rotated = try sandbox.coffer("rotate", "--all", password: "sandbox")
        #expect(rotated.code == 0, "\(rotated)")
        #expect(try sandbox.coffer("get", "mail", "me").output == value)
        #expect(try sandbox.coffer("get", "bank", "me", password: "sandbox").output == [1, 2])
        try sandbox.script("stop-broker")
        let present = try Self.files(of: sandbox)

        // The signing key and the TPM are the same, and the attacker knows the password, too.
        for (path, content) in old { try content.write(to: URL(fileURLWithPath: path)) }
        try sandbox.script("start-broker")
        let refused = try sandbox.coffer("unlock", password: "sandbox")
        // The counter that counted it is gone.
        #expect(refused.code == 7, "\(refused)")
        if geteuid() == 0 {
            // Root accepts it, with the owner's password. The counter is made again, and the keys stay closed.
            let accepted = try sandbox.coffer("vault", "accept", password: "sandbox")
            #expect(accepted.code == 0, "\(accepted)")
            let closed = try sandbox.coffer("unlock", password: "sandbox")
            #expect(closed.code == 8, "\(closed)")
            #expect(try sandbox.coffer("get", "mail", "me", password: "sandbox").code == 8)
            #expect(try sandbox.coffer("get", "mail", "me", "--no-prompt").code == 5)
        }
        try sandbox.script("stop-broker")

        for (path, content) in present { try content.write(to: URL(fileURLWithPath: path)) }
        try sandbox.script("start-broker")
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        #expect(try sandbox.coffer("get", "mail", "me").output == value)
    }

    @Test(.timeLimit(.minutes(30))) func withoutATPMTheKeysAreRenewedToo() throws {
        let sandbox = try Sandbox("--software")
        #expect(try sandbox.coffer("set", "mail", "me", input: [1], password: "sandbox").code == 0)
        #expect(try sandbox.coffer("set", "bank", "me", "--require", "presence", input: [1, 2]).code == 0)
        let before = try Self.files(of: sandbox)
        for isSigningKeys in [false, true] {
            if isSigningKeys { #expect(try sandbox.coffer("rotate", "--signing-key").code == 0) }
            let rotated = try sandbox.coffer("rotate", "--all", password: "sandbox")
            #expect(rotated.code == 0 && rotated.errors.contains("2 secrets were sealed anew"), "\(rotated)")
            #expect(try sandbox.coffer("get", "mail", "me").output == [1])
            #expect(try sandbox.coffer("get", "bank", "me", password: "sandbox").output == [1, 2])
        }
        let present = try Self.files(of: sandbox)
        #expect(Set(present.keys) == Set(before.keys))
        #expect(try !sandbox.coffer("doctor").text.contains("coffer rotate --all"))
        #expect(try sandbox.coffer("lock").code == 0)
        #expect(try sandbox.coffer("get", "mail", "me", "--no-prompt").code == 5)
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        #expect(try sandbox.coffer("get", "mail", "me").output == [1])
    }

    /// A vault without a person to ask. Root renews it, and its account cannot.
    @Test(.timeLimit(.minutes(30)), .enabled(if: geteuid() == 0, "only root makes such a vault"))
    func rootRenewsAServiceVault() throws {
        let account = try RealAccount(password: "unused")
        let sandbox = try Sandbox(reachable: true)
        let service = ["--user", account.name]
        #expect(try sandbox.coffer("vault", "create", "--owner", account.name).code == 0)
        for (name, access) in [("first", "after-first-unlock"), ("always", "always"), ("open", "when-unlocked")] {
            let set = try sandbox.coffer(["set", "s", name, "--access", access] + service, input: Array(name.utf8))
            #expect(set.code == 0, "\(set)")
        }
        try sandbox.script("stop-broker")
        let old = try Self.files(of: sandbox, uid: account.uid)
        #expect(old.count == 2, "\(old.keys)")
        try sandbox.script("start-broker")
        func read(_ name: String) throws -> Outcome { try sandbox.coffer("get", "s", name, uid: account.uid) }
        #expect(try sandbox.coffer(["unlock"] + service).code == 0)
        // The account could not answer a prompt.
        let byAccount = try sandbox.coffer("rotate", "--all", password: "unused", uid: account.uid)
        #expect(byAccount.code != 0 && !byAccount.errors.contains("Renewed"), "\(byAccount)")
        let rotated = try sandbox.coffer(["rotate", "--all"] + service)
        #expect(rotated.code == 0 && rotated.errors.contains("3 secrets were sealed anew"), "\(rotated)")
        for name in ["first", "always", "open"] { #expect(try read(name).text == name) }
        let present = try Self.files(of: sandbox, uid: account.uid)
        #expect(Set(present.keys) == Set(old.keys))
        for (path, content) in old { #expect(present[path] != content, "\(path)") }
        try sandbox.script("stop-broker")
        try sandbox.script("start-broker")
        #expect(try read("first").code == 5)
        #expect(try sandbox.coffer(["unlock"] + service).code == 0)
        for name in ["first", "always", "open"] { #expect(try read(name).text == name) }
        // It is still a service vault: root needs nobody.
        #expect(try sandbox.coffer(["status"] + service).code == 0)
        try sandbox.expectTPMEmpty()
    }

    @Test(.timeLimit(.minutes(30))) func theSigningKeyIsRenewedAndTheKeychainFollows() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.coffer("set", "bank", "me", "--require", "presence", input: [1, 2]).code == 0)
        let renewed = try sandbox.coffer("rotate", "--signing-key")
        #expect(renewed.code == 0 && renewed.errors.contains("One vault uses a former key"), "\(renewed)")
        // It works under the former key, and a message says that there is something to do.
        #expect(try sandbox.coffer("get", "bank", "me", password: "sandbox").output == [1, 2])
        let due = try sandbox.coffer("doctor")
        #expect(due.code == 1 && due.text.contains("coffer rotate --all"), "\(due)")
        #expect(try sandbox.coffer("rotate", "--all", password: "sandbox").code == 0)
        let former = try FileManager.default.contentsOfDirectory(
            atPath: sandbox.directory + "/registry/former-keys")
        #expect(former == [])
        #expect(try !sandbox.coffer("doctor").text.contains("coffer rotate --all"))
        #expect(try sandbox.coffer("get", "bank", "me", password: "sandbox").output == [1, 2])
        #expect(try sandbox.coffer("lock").code == 0)
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        #expect(try sandbox.coffer("get", "bank", "me", password: "sandbox").output == [1, 2])
    }
}
