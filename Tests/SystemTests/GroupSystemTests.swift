import Foundation
import TestSupport
import Testing

/// A group's vault through the real programs: real accounts, the broker under its own uid, the authenticator as root.
@Suite(.enabled(if: getuid() == 0, "only root can become other users"), .serialized) struct GroupSystemTests {
    @Test func wholeWay() throws {
        let accounts = try ThrowAwayAccounts(4)
        let (ada, bob, carol) = (accounts.uids[0], accounts.uids[1], accounts.uids[2])
        let sandbox = try Sandbox("--broker-user", accounts.names[3])
        try accounts.join(0)
        try accounts.join(1)
        let group = ["--group", accounts.group]
        func coffer(_ uid: UInt32, _ words: String..., input: String = "", password: String? = nil) throws -> Outcome {
            try sandbox.coffer(words + group, input: Array(input.utf8), password: password, uid: uid)
        }
        for uid in [ada, bob, carol] { #expect(try sandbox.coffer("unlock", password: "sandbox", uid: uid).code == 0) }
        // Making it takes a person. For others the answer is the same as for a group that does not exist.
        #expect(try coffer(ada, "unlock").code == 4)
        let foreign = try coffer(carol, "unlock", password: "sandbox")
        #expect(foreign.code == 3, "\(foreign)")
        let none = try coffer(ada, "list")
        #expect(none.code == 3 && none.errors == foreign.errors, "\(none)")
        #expect(try coffer(ada, "unlock", password: "sandbox").code == 0)
        #expect(try coffer(ada, "set", "db", "plain", input: "one").code == 0)
        #expect(try coffer(ada, "set", "db", "gated", "--require", "presence", input: "two").code == 0)

        #expect(try coffer(bob, "get", "db", "plain").text == "one")
        #expect(try coffer(bob, "get", "db", "gated").code == 4)
        #expect(try coffer(bob, "get", "db", "gated", password: "wrong").code == 4)
        #expect(try coffer(bob, "get", "db", "gated", password: "sandbox").text == "two")
        let missing = try sandbox.coffer("get", "db", "plain", "--group", "no-such-group", uid: carol)
        for item in ["plain", "gated", "absent"] {
            let refused = try coffer(carol, "get", "db", item, password: "sandbox")
            #expect(refused.code == 3 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.replacingOccurrences(of: item, with: "plain") == missing.errors)
        }
        let log = try coffer(ada, "log", "--json").text
        #expect(log.contains("\"uid\":\(bob)") && !log.contains("\"uid\":\(carol)"), "\(log)")

        try accounts.leave(1)
        let left = try coffer(bob, "get", "db", "plain")
        #expect(left.code == 3 && left.errors == missing.errors, "\(left)")
        #expect(try coffer(bob, "get", "db", "gated", password: "sandbox").code == 3)
        // The last member's lock.
        #expect(try coffer(ada, "get", "db", "plain").text == "one")
        #expect(try sandbox.coffer("lock", uid: ada).code == 0)
        #expect(try coffer(ada, "get", "db", "plain").code == 5)
        #expect(try coffer(ada, "status").text.hasPrefix("Vault: locked"))
        #expect(try sandbox.coffer("unlock", password: "sandbox", uid: ada).code == 0)
        #expect(try coffer(ada, "get", "db", "plain").code == 5)
        #expect(try coffer(ada, "unlock", password: "sandbox").code == 0)
        #expect(try coffer(ada, "get", "db", "plain").text == "one")
    }

    /// A member's lease from the group's vault is theirs alone. It ends with their own vault's lock, and is worth nothing once they are no member.
    @Test func aMembersLease() throws {
        let accounts = try ThrowAwayAccounts(3)
        let (ada, bob) = (accounts.uids[0], accounts.uids[1])
        let sandbox = try Sandbox("--software", "--broker-user", accounts.names[2])
        for index in 0...1 { try accounts.join(index) }
        func coffer(_ uid: UInt32, _ words: String..., input: String = "", password: String? = nil) throws {
            let outcome = try sandbox.coffer(words, input: Array(input.utf8), password: password, uid: uid)
            try #require(outcome.code == 0, "\(words) \(outcome)")
        }
        for uid in [ada, bob] { try coffer(uid, "unlock", password: "sandbox") }
        try coffer(ada, "unlock", "--group", accounts.group, password: "sandbox")
        for account in ["gated", "other"] {
            try coffer(
                ada, "set", "db", account, "--require", "presence", "--group", accounts.group, input: "value")
        }
        let broker = try #require(sandbox.variables["COFFER_SOCKET"])
        let authenticator = sandbox.directory + "/auth.sock"
        let tree = try ProcessTree()
        let leader = try tree.root.spawn(uid: ada)
        let granted = try leader.call(
            "org.coffer.Keychain.Lease",
            ["items": [["service": "db", "account": "gated"]], "seconds": 600, "group": accounts.group], at: broker,
            authenticator, password: "sandbox")
        #expect(granted.done == true && granted.questions == 1, "\(granted)")
        let notice = granted.messages?.first ?? ""
        #expect(notice.contains("of the group \"\(accounts.group)\""), "\(notice)")

        func read(_ node: ProcessTree.Node, _ account: String = "gated") throws -> ProcessTree.Reply {
            try node.call(
                "org.coffer.Keychain.Get", ["service": "db", "account": account, "group": accounts.group], at: broker,
                authenticator, password: "sandbox")
        }
        func expect(_ questions: Int, _ node: ProcessTree.Node, _ location: SourceLocation = #_sourceLocation) throws {
            let reply = try read(node)
            #expect(reply.done == true && reply.questions == questions, "\(reply)", sourceLocation: location)
        }
        let child = try leader.spawn()
        for node in [leader, child] { try expect(0, node) }
        #expect(try read(child, "other").questions == 1)
        for uid in [ada, bob] { try expect(1, try tree.root.spawn(uid: uid)) }

        try accounts.leave(0)
        let left = try read(child)
        #expect(left.done != true && left.error?.hasSuffix(".NotFound") == true, "\(left)")
        try accounts.join(0)
        try coffer(ada, "lock")
        try coffer(ada, "unlock", password: "sandbox")
        try coffer(ada, "unlock", "--group", accounts.group, password: "sandbox")
        try expect(1, child)
    }
}
