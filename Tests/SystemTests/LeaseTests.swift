import Foundation
import Platform
import TestSupport
import Testing

/// A lease, with the real broker and the real authenticator: the process and its descendants read the items that the person was shown, and nobody
/// else does (attackers 3 and 4).
@Suite(.timeLimit(.minutes(30)))
struct LeaseTests {
    /// A vault with gated items store/a, store/b and store/c, and a lease of the first two for one process of a tree.
    private struct Leased {
        let sandbox: Sandbox
        let tree: ProcessTree
        let leader: ProcessTree.Node
        let answer: ProcessTree.Reply
        private let broker: String
        private let authenticator: String

        init(
            _ options: String..., adoptsOrphans: Bool = true, prepare: (Sandbox) throws -> Void = { _ in }
        ) throws {
            sandbox = try Sandbox(["--software"] + options, reachable: false)
            try #require(try sandbox.coffer("unlock", password: "sandbox").code == 0)
            for name in ["a", "b", "c"] {
                let outcome = try sandbox.coffer(
                    "set", "store", name, "--require", "presence", input: Array("value-\(name)".utf8))
                try #require(outcome.code == 0, "\(outcome)")
            }
            try prepare(sandbox)
            broker = sandbox.variables["COFFER_SOCKET"] ?? ""
            authenticator = URL(fileURLWithPath: broker).deletingLastPathComponent().path + "/auth.sock"
            tree = try ProcessTree()
            leader = try tree.root.spawn()
            if adoptsOrphans { try leader.adoptOrphans() }
            answer = try leader.call(
                "org.coffer.Keychain.Lease",
                [
                    "items": ["a", "b"].map { ["service": "store", "account": $0] }, "seconds": 600,
                    "command": "make -j4", "reason": "nightly build",
                ], at: broker, authenticator, password: "sandbox")
            try #require(answer.done == true, "\(answer)")
        }

        func read(_ node: ProcessTree.Node, _ account: String = "a", group: String? = nil) throws -> ProcessTree.Reply {
            var parameters: [String: Any] = ["service": "store", "account": account]
            parameters["group"] = group
            return try node.call(
                "org.coffer.Keychain.Get", parameters, at: broker, authenticator, password: "sandbox")
        }

        func expectUnasked(
            _ node: ProcessTree.Node, _ account: String = "a", _ location: SourceLocation = #_sourceLocation
        ) throws {
            let reply = try read(node, account)
            let value = Data("value-\(account)".utf8).base64EncodedString()
            #expect(
                reply.questions == 0 && reply.messages == [] && reply.answer?.contains(value) == true, "\(reply)",
                sourceLocation: location)
        }

        func expectQuestion(
            _ node: ProcessTree.Node, _ account: String = "a", _ location: SourceLocation = #_sourceLocation
        ) throws {
            let reply = try read(node, account)
            #expect(reply.questions == 1 && reply.done == true, "\(reply)", sourceLocation: location)
        }
    }

    @Test func descendantsReadAndNobodyElse() throws {
        let lease = try Leased()
        #expect(lease.answer.questions == 1, "\(lease.answer)")
        let notice = lease.answer.messages?.first ?? ""
        #expect(notice.hasPrefix("Read these 2 items for 10 minutes without asking you again:\n"), "\(notice)")
        #expect(notice.contains("\"store\" / \"a\"") && notice.contains("Command it gives: \"make -j4\""))
        let child = try lease.leader.spawn()
        let grandchild = try child.spawn()
        for node in [lease.leader, child, grandchild] { try lease.expectUnasked(node) }
        try lease.expectUnasked(grandchild, "b")
        // An orphan stays with the leader, which adopts it.
        try child.end()
        #expect(try grandchild.parent() == lease.leader.identity().pid)
        try lease.expectUnasked(grandchild)
        // More than was given.
        try lease.expectQuestion(grandchild, "c")
        // Outside of the lease.
        try lease.expectQuestion(try lease.tree.root.spawn())
        try lease.expectQuestion(lease.tree.root)
        let status = try lease.sandbox.coffer("status")
        let pid = try lease.leader.identity().pid
        #expect(status.text.contains("Lease: \"make -j4\" (pid \(pid)), 2 items, ends in "), "\(status)")
        let log = try lease.sandbox.coffer("log")
        #expect(log.text.components(separatedBy: "under a lease (coffer run --lease)").count - 1 == 5, "\(log)")
    }

    @Test func itEndsWithItsProcess() throws {
        let lease = try Leased()
        try lease.tree.root.adoptOrphans()
        let child = try lease.leader.spawn()
        try lease.expectUnasked(child)
        try lease.leader.end()
        try lease.expectQuestion(child)
        // A log that cannot be read does not have the record yet.
        #expect(eventually { (try? lease.sandbox.coffer("log"))?.text.contains("its process has ended") == true })
        #expect(try !lease.sandbox.coffer("status").text.contains("Lease:"))
    }

    /// A process that was forked twice is the child of the process that adopted it.
    @Test func orphansOfAProcessThatAdoptsNoneAreAsked() throws {
        let lease = try Leased(adoptsOrphans: false)
        // Without this, the orphan goes to process 1.
        try lease.tree.root.adoptOrphans()
        let child = try lease.leader.spawn()
        let grandchild = try child.spawn()
        try lease.expectUnasked(grandchild)
        try child.end()
        #expect(try grandchild.parent() == lease.tree.root.identity().pid)
        try lease.expectQuestion(grandchild)
        // A descendant that adopts them keeps its own below the process.
        let keeper = try lease.leader.spawn()
        try keeper.adoptOrphans()
        let between = try keeper.spawn()
        let orphan = try between.spawn()
        try between.end()
        #expect(try orphan.parent() == keeper.identity().pid)
        try lease.expectUnasked(orphan)
    }

    @Test func aProcessThatRunsAnotherProgramInItsPlaceKeepsIt() throws {
        let lease = try Leased()
        let child = try lease.leader.spawn()
        let identities = try [lease.leader, child].map { try $0.identity() }
        for node in [child, lease.leader] { try node.runAnotherProgram() }
        #expect(try [lease.leader, child].map { try $0.identity() } == identities)
        for node in [lease.leader, child, try lease.leader.spawn()] { try lease.expectUnasked(node) }
        // A program that runs in another process's place gains nothing.
        let sibling = try lease.tree.root.spawn()
        try sibling.runAnotherProgram()
        try lease.expectQuestion(sibling)
    }

    @Test(.enabled(if: NumberTaking.isPossible, "only root can choose a process's number, where the kernel lets it"))
    func aProcessThatTookTheNumberOverIsAsked() throws {
        let lease = try Leased()
        let former = try lease.leader.identity()
        try lease.leader.end()
        let thief = try lease.tree.root.spawn(pid: former.pid)
        #expect(try thief.identity().pid == former.pid)
        try lease.expectQuestion(thief)
        try lease.expectQuestion(try thief.spawn())
    }

    @Test(.enabled(if: getuid() == 0, "only root can become other users"))
    func aSecondUserIsAskedEvenBelowTheProcess() throws {
        let accounts = try Accounts(2)
        let other = accounts.uids[0]
        let lease = try Leased("--broker-user", accounts.names[1]) { sandbox in
            #expect(try sandbox.coffer("unlock", password: "sandbox", uid: other).code == 0)
            let outcome = try sandbox.coffer(
                "set", "store", "a", "--require", "presence", input: Array("theirs".utf8), uid: other)
            #expect(outcome.code == 0, "\(outcome)")
        }
        let child = try lease.leader.spawn(uid: other)
        let reply = try lease.read(child)
        #expect(reply.questions == 1, "\(reply)")
        #expect(reply.answer?.contains(Data("theirs".utf8).base64EncodedString()) == true, "\(reply)")
        try lease.expectUnasked(lease.leader)
    }

    /// `coffer run --lease`, without anybody to ask below it: the command and the orphans that it leaves read the items, and more is refused.
    @Test func theCommandOfARunReadsWithoutATerminal() throws {
        let sandbox = try Sandbox("--software")
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        for name in ["a", "b"] {
            let outcome = try sandbox.coffer(
                "set", "store", name, "--require", "presence", input: Array("value-\(name)\n".utf8))
            #expect(outcome.code == 0, "\(outcome)")
        }
        #expect(try sandbox.coffer("lock").code == 0)
        let orphan = sandbox.folder + "/orphan"
        // The orphan reads once its parent has ended.
        let script = #"""
            export KEEPER=$PPID; unset COFFER_ASKPASS; coffer get store a; coffer get --no-prompt store a
            coffer get store b 2>/dev/null; echo "other $?"
            (sh -c 'FIRST=$PPID; while [ "$(cut -d" " -f4 /proc/$$/stat)" = "$FIRST" ] && [ "$FIRST" != "$KEEPER" ]; do sleep 0.01; done
                coffer get store a > "$ORPHAN.new" 2>&1; mv "$ORPHAN.new" "$ORPHAN"' & )
            while [ ! -e "$ORPHAN" ]; do sleep 0.02; done; echo "orphan $(cat "$ORPHAN")"; echo "variable $X"; exit 7
            """#
        let outcome = try sandbox.coffer(
            "run", "--lease", "10m", "--items=store/a", "--env", "X=coffer://store/a", "--", "env", "ORPHAN=\(orphan)",
            "sh", "-c", script, password: "sandbox")
        #expect(
            outcome.text == "value-a\nvalue-a\nother 4\norphan value-a\nvariable value-a\n" && outcome.code == 7,
            "\(outcome)")
        // It has ended with its command.
        #expect(try sandbox.coffer("get", "store", "a").code == 4)
        let log = try sandbox.coffer("log").text
        #expect(log.components(separatedBy: "\tlease\t").count - 1 == 1, "\(log)")
        let killed = try sandbox.coffer(
            "run", "--lease", "10m", "--items", "store/a", "--", "sh", "-c", "kill -KILL $$", password: "sandbox")
        #expect(killed.code == -SIGKILL, "\(killed)")
    }

    @Test func lockAndForgetEndIt() throws {
        let lease = try Leased()
        let forgotten = try lease.sandbox.coffer("forget")
        #expect(forgotten.errors.contains("Forgotten, with 1 lease"), "\(forgotten)")
        try lease.expectQuestion(lease.leader)
        let again = try Leased()
        #expect(try again.sandbox.coffer("lock").code == 0)
        #expect(try again.sandbox.coffer("unlock", password: "sandbox").code == 0)
        try again.expectQuestion(again.leader)
    }

    @Test func aRestartedBrokerKnowsNoLease() throws {
        let lease = try Leased()
        try lease.sandbox.script("stop-broker")
        try lease.sandbox.script("start-broker")
        #expect(try lease.sandbox.coffer("unlock", password: "sandbox").code == 0)
        try lease.expectQuestion(lease.leader)
    }

    @Test func aReplacedItemIsAskedFor() throws {
        let lease = try Leased()
        let outcome = try lease.sandbox.coffer("set", "store", "a", input: Array("value-a".utf8))
        #expect(outcome.code == 0, "\(outcome)")
        try lease.expectQuestion(lease.leader, "a")
        try lease.expectUnasked(lease.leader, "b")
    }

    /// Whether a test can give a process a number of its choice.
    private enum NumberTaking {
        static var isPossible: Bool {
            unsafe access("/proc/sys/kernel/ns_last_pid", W_OK) == 0 && geteuid() == 0
        }
    }

    private func eventually(_ condition: () -> Bool) -> Bool {
        let limit = ContinuousClock.now + patience
        while ContinuousClock.now < limit {
            if condition() { return true }
            usleep(20_000)
        }
        return condition()
    }
}
