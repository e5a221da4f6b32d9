import Foundation
import TestSupport
import Testing

/// Attacker 5 with a real account, `pam_unix`, authenticator, broker and TPM. An older file is refused until root and
/// its owner accept it.
@Suite(.enabled(if: getuid() == 0, "only root can make accounts"), .serialized) struct OldFileTests {
    private static let password = "correct horse"

    @Test func anOlderFileIsRefusedUntilRootAndItsOwnerAcceptIt() throws {
        let account = try RealAccount(password: Self.password)
        let sandbox = try Sandbox("--pam-dir", SourceTree.path("pam"), reachable: true)
        func coffer(_ words: String..., input: String = "", password: String? = nil) throws -> Outcome {
            try sandbox.coffer(words, input: Array(input.utf8), password: password, uid: account.uid)
        }
        #expect(try coffer("unlock", password: Self.password).code == 0)
        for name in ["kept", "deleted", "spare"] { #expect(try coffer("set", "s", name, input: name).code == 0) }
        let recovery = try coffer("recovery", "new", "--script", password: Self.password)
        // Nobody restores the group's vault. It has no code, and it does not matter here.
        #expect(recovery.code != 0)
        try sandbox.script("stop-broker")
        let file = try sandbox.vaultFile()
        let old = try Data(contentsOf: URL(fileURLWithPath: file))
        try sandbox.script("start-broker")
        #expect(try coffer("rm", "-f", "--now", "s", "deleted").code == 0)
        try sandbox.script("stop-broker")
        let newest = try Data(contentsOf: URL(fileURLWithPath: file))
        try old.write(to: URL(fileURLWithPath: file))
        try sandbox.script("start-broker")

        // Every command refuses, and says what to do.
        for words in [["get", "s", "deleted"], ["list"], ["exists", "s", "kept"]] {
            let outcome = try sandbox.coffer(words, uid: account.uid)
            #expect(outcome.code == 7, "\(outcome)")
            for word in ["older copy", "coffer recovery restore", "coffer vault accept --user \(account.name)"] {
                #expect(outcome.errors.contains(word), "\(outcome)")
            }
        }
        #expect(try coffer("set", "s", "new", input: "x", password: Self.password).code == 7)
        #expect(try coffer("unlock", password: Self.password).code == 7)
        #expect(try coffer("doctor").text.contains("older copy"))

        // With the newest file put back, it is the vault. An older one of the same run is refused.
        try sandbox.script("stop-broker")
        try newest.write(to: URL(fileURLWithPath: file))
        try sandbox.script("start-broker")
        #expect(try coffer("exists", "s", "deleted").code == 3)
        #expect(try coffer("status").text.contains("Rollback protection: on"))
        let nothing = try sandbox.coffer("vault", "accept", "--user", account.name, password: Self.password)
        #expect(nothing.code == 10, "\(nothing)")
        try sandbox.script("stop-broker")
        try old.write(to: URL(fileURLWithPath: file))
        try sandbox.script("start-broker")
        #expect(try coffer("list").code == 7)

        // The way out takes both: not the owner without root, and not root without the owner.
        let own = try coffer("vault", "accept", password: Self.password)
        #expect(own.code == 6, "\(own)")
        let named = try coffer("vault", "accept", "--user", account.name, password: Self.password)
        #expect(named.code == 6, "\(named)")
        let unasked = try sandbox.coffer("vault", "accept", "--user", account.name)
        #expect(unasked.code == 4, "\(unasked)")
        let wrong = try sandbox.coffer("vault", "accept", "--user", account.name, password: "wrong")
        #expect(wrong.code == 4, "\(wrong)")
        #expect(try coffer("list").code == 7)
        let accepted = try sandbox.coffer("vault", "accept", "--user", account.name, password: Self.password)
        #expect(accepted.code == 0, "\(accepted)")

        // It is now the vault, with what was deleted, and the log records that.
        #expect(try coffer("unlock", password: Self.password).code == 0)
        #expect(try coffer("get", "s", "deleted").text == "deleted")
        let log = try coffer("log").text
        #expect(log.contains("rollback") && log.contains("accept"), "\(log)")
        #expect(try coffer("doctor").text.contains("is the one that the TPM has counted"))
        // No other copy is: neither the former newest one, nor the accepted one as it was put back.
        for copy in [newest, old] {
            try sandbox.script("stop-broker")
            let present = try Data(contentsOf: URL(fileURLWithPath: file))
            try copy.write(to: URL(fileURLWithPath: file))
            try sandbox.script("start-broker")
            #expect(try coffer("list").code == 7)
            try sandbox.script("stop-broker")
            try present.write(to: URL(fileURLWithPath: file))
            try sandbox.script("start-broker")
            #expect(try coffer("list").code == 0)
        }
        try sandbox.expectTPMEmpty()
    }

    /// A service vault has no person to ask. Root alone accepts it, without a terminal.
    @Test func aServiceVaultIsAcceptedByRootAlone() throws {
        let account = try RealAccount(password: Self.password)
        let sandbox = try Sandbox("--pam-dir", SourceTree.path("pam"), reachable: true)
        let user = ["--user", account.name]
        #expect(try sandbox.coffer("vault", "create", "--owner", account.name).code == 0)
        for name in ["a", "b"] { #expect(try sandbox.coffer(["set", "s", name] + user, input: [1]).code == 0) }
        try sandbox.script("stop-broker")
        let file = try sandbox.vaultFile()
        let old = try Data(contentsOf: URL(fileURLWithPath: file))
        try sandbox.script("start-broker")
        #expect(try sandbox.coffer(["rm", "-f", "--now", "s", "a"] + user).code == 0)
        try sandbox.script("stop-broker")
        try old.write(to: URL(fileURLWithPath: file))
        try sandbox.script("start-broker")
        let refused = try sandbox.coffer(["list"] + user)
        #expect(
            refused.code == 7 && refused.errors.contains("coffer vault accept --user \(account.name)"), "\(refused)")
        // The account itself is not root, even with its password.
        #expect(try sandbox.coffer("vault", "accept", password: Self.password, uid: account.uid).code == 6)
        let accepted = try sandbox.coffer(["vault", "accept"] + user)
        #expect(accepted.code == 0, "\(accepted)")
        #expect(try sandbox.coffer(["list"] + user).code == 0)
    }

    @Test func aRowDeletedOrTwiceIsRefused() throws {
        let sandbox = try Sandbox()
        for name in ["a", "b"] { #expect(try sandbox.coffer("set", "s", name, input: [1]).code == 0) }
        try sandbox.script("stop-broker")
        let file = try sandbox.vaultFile()
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        let changes = [
            "DELETE FROM item WHERE id = (SELECT min(id) FROM item)",
            // The same item a second time, under another id.
            "INSERT INTO item SELECT randomblob(16), record FROM item WHERE id = (SELECT min(id) FROM item)",
            // One row in the place of another.
            "UPDATE value SET sealed = (SELECT sealed FROM value WHERE id = (SELECT min(id) FROM value))",
            "DELETE FROM posting",
        ]
        for change in changes {
            let changed = try Command(
                program: "/usr/bin/python3",
                arguments: [
                    "-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()",
                    file, change,
                ], environment: [:]
            ).run()
            #expect(changed.code == 0, "\(changed)")
            try sandbox.script("start-broker")
            var codes: [Int32] = [try sandbox.coffer("unlock", password: "sandbox").code]
            for words in [["list"], ["get", "s", "a"], ["get", "s", "b"]] {
                codes.append(try sandbox.coffer(words).code)
            }
            #expect(codes.contains(7), "\(change): \(codes)")
            // A damaged file cannot be accepted.
            #expect(try sandbox.coffer("vault", "accept", password: "sandbox").code != 0)
            try sandbox.script("stop-broker")
            for side in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: file + side) {
                try FileManager.default.removeItem(atPath: file + side)
            }
            try whole.write(to: URL(fileURLWithPath: file))
        }
        try sandbox.script("start-broker")
        #expect(try sandbox.coffer("list").code == 0)
    }
}
