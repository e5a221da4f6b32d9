import Authorization
import Broker
import BrokerProtocol
import Foundation
import Item
import Platform
import RootConfiguration
import TestSupport
import Testing
import Varlink

/// The broker's part in a lease: which request it says to be covered, and when a lease ends. Here the authenticator signs whatever it is asked for.
@Suite(.timeLimit(.minutes(30)))
struct LeaseTests {
    /// An unlocked vault with gated items s/a, s/b, s/c, and s/open that requires nothing.
    private func prepared(
        folder: TemporaryFolder? = nil, authenticator: TestAuthenticator? = nil, clock: TestClock? = nil,
        configure: (inout Configuration) -> Void = { _ in }
    ) async throws -> (ThrowAwayBroker, WireClient) {
        var options = Broker.Options.patient
        if let clock { options.clock = clock.clock }
        let broker = try await throwAwayBroker(
            folder: folder, authenticator: authenticator, options: options, configure: configure)
        let client = try broker.client()
        try await broker.makeVault(client)
        guard folder == nil else { return (broker, client) }
        for account in ["a", "b", "c"] { try await set(client, account, .presence) }
        try await set(client, "open")
        return (broker, client)
    }

    private func set(
        _ client: WireClient, _ account: String, _ access: AccessControl? = nil
    ) async throws {
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: account, value: someValue, access: access.map(Keychain.AccessChange.init(whole:))
            ))
    }

    private func wanted(_ accounts: [String], seconds: Int64 = 600, challenge: String? = nil) -> Keychain.Lease {
        Keychain.Lease(
            items: accounts.map { .init(service: "s", account: $0) }, seconds: seconds, command: "make -j4",
            reason: "nightly", challenge: challenge)
    }

    /// A lease of this process.
    @discardableResult
    private func lease(
        _ broker: ThrowAwayBroker, _ client: WireClient, _ accounts: String..., seconds: Int64 = 600
    ) async throws -> Keychain.LeaseState {
        let reply = try await broker.call(client, wanted(accounts, seconds: seconds)) {
            wanted(accounts, seconds: seconds, challenge: $0)
        }
        return try #require(reply.lease)
    }

    /// A lease of another process.
    private func lease(
        _ broker: ThrowAwayBroker, to node: ProcessTree.Node, _ accounts: String...
    ) async throws {
        let method = "org.coffer.Keychain.Lease"
        let items = accounts.map { #"{"service": "s", "account": "\#($0)"}"# }.joined(separator: ", ")
        let parameters = #""items": [\#(items)], "seconds": 600"#
        let asked = try await node.calling(method, "{\(parameters)}", at: broker.configuration.socket)
        let id = try id(of: asked)
        try await broker.authenticator.grant(id, process: try node.identity())
        let granted = try await node.calling(
            method, "{\(parameters), \"challenge\": \"\(id)\"}", at: broker.configuration.socket)
        #expect(granted.error == nil, "\(granted)")
    }

    private func id(of reply: ProcessTree.Reply) throws -> String {
        #expect(reply.error?.hasSuffix(".AuthenticationRequired") == true, "\(reply)")
        return try Varlink.decode(Fault.Details.self, from: Array((reply.answer ?? "").utf8)).challenge ?? ""
    }

    /// Whether the broker says that a lease covers this read of this process.
    private func isLeased(_ client: WireClient, _ account: String) async throws -> Bool {
        try await isLeased(client, Keychain.Get(service: "s", account: account))
    }

    private func isLeased(_ client: WireClient, _ method: some VarlinkMethod) async throws -> Bool {
        let refusal = try await fault { try await client.call(method) }
        #expect(refusal.name == .authenticationRequired, "\(refusal)")
        return refusal.details.leased ?? false
    }

    private func isLeased(_ broker: ThrowAwayBroker, _ node: ProcessTree.Node, _ account: String = "a") async throws
        -> Bool
    {
        let reply = try await node.calling(
            "org.coffer.Keychain.Get", #"{"service": "s", "account": "\#(account)"}"#, at: broker.configuration.socket)
        _ = try id(of: reply)
        return reply.leased ?? false
    }

    private func records(_ client: WireClient, _ event: String) async throws -> [Keychain.LogRecord] {
        try await client.call(Keychain.Log()).records.filter { $0.event == event }
    }

    /// The log's word for why the last lease ended.
    private func end(_ client: WireClient) async throws -> String {
        let limit = ContinuousClock.now + patience
        while ContinuousClock.now < limit {
            if let detail = try await records(client, "lease-end").last?.detail { return detail }
            try await Task.sleep(for: .milliseconds(20))
        }
        return "none"
    }

    private func leases(_ client: WireClient) async throws -> [Keychain.LeaseState] {
        try await client.call(Keychain.Status()).leases
    }

    // MARK: granting

    @Test("one prompt names items, time, command and reason; the lease is listed and in the log")
    func granted() async throws {
        let (broker, client) = try await prepared()
        let refusal = try await fault { try await client.call(wanted(["a", "open", "b"])) }
        #expect(refusal.details.purposes == ["lease"] && refusal.details.leased == nil)
        let id = try #require(refusal.details.challenge)
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        let facts = try await line.call(
            TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess(), program: "/usr/bin/make"))
        #expect(facts.purposes == [.lease] && facts.service == nil && facts.reason == "nightly")
        #expect(facts.items?.map(\.account) == ["a", "open", "b"])
        #expect(facts.lease == .init(seconds: 600, command: "make -j4") && facts.leased == nil)
        #expect(facts.authorizations.map(\.kind) == ["presence", "presence"])
        #expect(Set(facts.authorizations.map(\.point)).count == 2)
        for index in 0..<2 {
            try await broker.authenticator.sign(id, index, facts.authorizations[index], owner: .user(uid), line)
        }
        let lease = try #require(try await client.call(wanted(["a", "open", "b"], challenge: id)).lease)
        #expect(lease.pid == Int64(getpid()) && lease.command == "make -j4" && lease.program == "/usr/bin/make")
        #expect(lease.items.map(\.account) == ["a", "open", "b"] && lease.ends - lease.granted <= 600_000)
        #expect(try await leases(client) == [lease])
        let found = try await records(client, "lease")
        #expect(found.map(\.account) == ["a", "open", "b"])
        #expect(found.allSatisfy { $0.reason == "nightly" && $0.detail?.hasSuffix("to run: make -j4") == true })
        await broker.stop()
    }

    @Test("a lease that cannot be recorded is none")
    func unrecorded() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(wanted(["a"])) }
        try await broker.authenticator.grant(id)
        // Neither the log nor the copies that would be kept aside can be written now.
        let log = "\(broker.configuration.vaultDirectory)/\(Owner.user(OwnProcess.effectiveUser).fileStem).log"
        try FileManager.default.removeItem(atPath: log)
        for path in [""] + ["", ".2", ".3", ".4", ".5"].map({ ".damaged\($0)/full" }) {
            try FileManager.default.createDirectory(atPath: log + path, withIntermediateDirectories: true)
        }
        let refused = try await fault { try await client.call(wanted(["a"], challenge: id)) }
        #expect(refused.name == .failed, "\(refused)")
        #expect(try await leases(client).isEmpty)
        #expect(try await !isLeased(client, "a"))
        await broker.stop()
    }

    @Test("what cannot be leased is refused before anybody is asked")
    func refused() async throws {
        let (broker, client) = try await prepared { $0.leaseLimit = 900 }
        for seconds in [0, -1, 901, .max] as [Int64] {
            let refusal = try await fault { try await client.call(wanted(["a"], seconds: seconds)) }
            #expect(refusal.name == .invalidArgument, "\(seconds)")
        }
        var long = wanted(["a"])
        long.command = String(repeating: "x", count: 257)
        #expect(try await fault { try await client.call(long) }.name == .invalidArgument)
        #expect(try await fault { try await client.call(wanted([])) }.name == .invalidArgument)
        #expect(try await fault { try await client.call(wanted(["a", "a"])) }.name == .invalidArgument)
        #expect(try await fault { try await client.call(wanted(["a", "none"])) }.name == .notFound)
        let many = (0..<33).map { "\($0)" }
        #expect(try await fault { try await client.call(wanted(many)) }.name == .limitExceeded)
        // Nothing to lease.
        #expect(try await client.call(wanted(["open"])).lease == nil)
        try await set(client, "always", .always.requiring(.userPresence))
        _ = try await client.call(Keychain.Lock())
        for items in [["a"], ["open"], ["always"]] {
            #expect(try await fault { try await client.call(wanted(items)) }.name == .locked)
        }
        #expect(try await leases(client).isEmpty)
        await broker.stop()
        let (strict, other) = try await prepared { $0.leaseLimit = 0 }
        #expect(try await fault { try await other.call(wanted(["a"])) }.name == .notPermitted)
        await strict.stop()
    }

    @Test(
        "the first process of a PID namespace gets none, because everybody can leave it a child",
        .enabled(if: OwnProcess.effectiveUser == 0, "needs root to make a namespace"))
    func namespace() async throws {
        let (broker, client) = try await prepared()
        let tree = try ProcessTree()
        let first = try tree.root.spawn(beginsNamespace: true)
        let parameters = #"{"items": [{"service": "s", "account": "a"}], "seconds": 600}"#
        for (node, works) in [(first, false), (try first.spawn(), true)] {
            let reply = try await node.calling(
                "org.coffer.Keychain.Lease", parameters, at: broker.configuration.socket)
            let name = works ? ".AuthenticationRequired" : ".NotPermitted"
            #expect(reply.error?.hasSuffix(name) == true, "\(reply)")
        }
        #expect(try await leases(client).isEmpty)
        await broker.stop()
    }

    @Test("a program that asks for others uses no lease of its own, and the log says so")
    func forOthers() async throws {
        let (broker, client) = try await prepared()
        try await lease(broker, client, "a", "b")
        let names = ["a", "b"].map { Keychain.ItemName(service: "s", account: $0) }
        #expect(try await isLeased(client, "a"))
        #expect(try await !isLeased(client, Keychain.Get(service: "s", account: "a", forOthers: true)))
        #expect(try await !isLeased(client, Keychain.GetAll(items: names, forOthers: true)))
        // The authenticator is told the same, and cannot sign under the lease.
        let id = try await challenge {
            try await client.call(Keychain.Get(service: "s", account: "a", forOthers: true))
        }
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        let facts = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
        #expect(facts.leased == nil)
        let refusal = try await fault { try await sign(broker, id, line) }
        #expect(refusal.name == .brokerNotPermitted)
        // A person can allow it, and the log has for whom it was.
        let get = { Keychain.Get(service: "s", account: "a", forOthers: true, challenge: $0) }
        _ = try await broker.call(client, get(nil)) { get($0) }
        let all = { Keychain.GetAll(items: names, forOthers: true, challenge: $0) }
        _ = try await broker.call(client, all(nil)) { all($0) }
        let open = Keychain.Get(service: "s", account: "open", forOthers: true)
        _ = try await client.call(open)
        #expect(
            try await records(client, "read").suffix(4).map(\.detail)
                == Array(repeating: "for another program", count: 4))
        await broker.stop()
    }

    @Test(
        "a lease that ends after the signature is good for nothing: it is looked at once more when the value is taken")
    func endedMeanwhile() async throws {
        for byForgetting in [true, false] {
            let (broker, _) = try await prepared()
            let tree = try ProcessTree()
            try tree.root.adoptOrphans()
            let leader = try tree.root.spawn()
            try await lease(broker, to: leader, "a")
            let child = try leader.spawn()
            let get = #""service": "s", "account": "a""#
            let asked = try await child.calling(
                "org.coffer.Keychain.Get", "{\(get)}", at: broker.configuration.socket)
            #expect(asked.leased == true)
            let challenge = try id(of: asked)
            let line = try broker.authenticator.connect()
            let uid = OwnProcess.effectiveUser
            _ = try await line.call(TestAuthenticator.describe(challenge, uid: uid, try child.identity()))
            try await sign(broker, challenge, line)
            if byForgetting {
                _ = try await line.call(BrokerInterface.EndLeases(uid: Int64(uid)))
            } else {
                try leader.end()
            }
            let redeemed = try await child.calling(
                "org.coffer.Keychain.Get", "{\(get), \"challenge\": \"\(challenge)\"}", at: broker.configuration.socket)
            #expect(redeemed.error?.hasSuffix(".ChallengeRefused") == true, "\(redeemed)")
            await broker.stop()
        }
    }

    @Test("a user has so many leases")
    func budget() async throws {
        let (broker, client) = try await prepared()
        for _ in 0..<16 { try await lease(broker, client, "a") }
        let refusal = try await fault { try await client.call(wanted(["b"])) }
        #expect(refusal.name == .limitExceeded)
        #expect(try await leases(client).count == 16)
        await broker.stop()
    }

    @Test("consent to a lease is none to a read, and the other way round")
    func otherPurpose() async throws {
        let (broker, client) = try await prepared()
        let names = [Keychain.ItemName(service: "s", account: "a"), .init(service: "s", account: "b")]
        for method in [
            Keychain.Get(service: "s", account: "a", challenge: nil) as any VarlinkMethod,
            Keychain.GetAll(items: names, challenge: nil),
        ] {
            let id = try await challenge { try await client.call(wanted(["a", "b"])) }
            try await broker.authenticator.grant(id)
            let refusal: Fault
            if var get = method as? Keychain.Get {
                get.challenge = id
                refusal = try await fault { try await client.call(get) }
            } else {
                refusal = try await fault { try await client.call(Keychain.GetAll(items: names, challenge: id)) }
            }
            #expect(refusal.name == .challengeRefused)
        }
        let id = try await challenge { try await client.call(Keychain.GetAll(items: names)) }
        try await broker.authenticator.grant(id)
        let refusal = try await fault { try await client.call(wanted(["a", "b"], challenge: id)) }
        #expect(refusal.name == .challengeRefused)
        #expect(try await leases(client).isEmpty)
        await broker.stop()
    }

    @Test("a lease is for the items that were shown, in their versions, and for what was shown of it")
    func changedMeanwhile() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(wanted(["a", "b"])) }
        try await broker.authenticator.grant(id)
        try await set(client, "b")
        let refusal = try await fault { try await client.call(wanted(["a", "b"], challenge: id)) }
        #expect(refusal.name == .challengeRefused)
        // The time and the command of the repeated call do not count.
        let other = try await challenge { try await client.call(wanted(["a"], seconds: 60)) }
        try await broker.authenticator.grant(other)
        var longer = wanted(["a"], seconds: 3000, challenge: other)
        longer.command = "other"
        let lease = try #require(try await client.call(longer).lease)
        #expect(lease.ends - lease.granted <= 60_000 && lease.command == "make -j4")
        await broker.stop()
    }

    // MARK: who reads

    @Test("the process and its descendants read; each read is signed for, and logged as under a lease")
    func descendant() async throws {
        let (broker, client) = try await prepared()
        try await lease(broker, client, "a", "b")
        #expect(try await isLeased(client, "a"))
        let tree = try ProcessTree()
        let child = try tree.root.spawn().spawn()
        let socket = broker.configuration.socket
        let reply = try await child.calling("org.coffer.Keychain.Get", #"{"service": "s", "account": "a"}"#, at: socket)
        #expect(reply.leased == true)
        let id = try id(of: reply)
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        let facts = try await line.call(TestAuthenticator.describe(id, uid: uid, try child.identity()))
        #expect(facts.leased == true && facts.lease == nil)
        try await sign(broker, id, line)
        let parameters = #"{"service": "s", "account": "a", "challenge": "\#(id)"}"#
        let read = try await child.calling("org.coffer.Keychain.Get", parameters, at: socket)
        #expect(read.answer?.contains(someValue) == true, "\(read)")
        #expect(try await records(client, "read").last?.detail == "under a lease (coffer run --lease)")
        await broker.stop()
    }

    /// Completes the first signature of a challenge, and says that it is under a lease.
    private func sign(_ broker: ThrowAwayBroker, _ id: String, _ line: WireClient) async throws {
        let question = try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
        let signature = try broker.authenticator.signature(
            for: question, kind: "presence", owner: .user(OwnProcess.effectiveUser))
        _ = try await line.call(
            BrokerInterface.Complete(challenge: id, authorization: 0, signature: signature, means: "lease"))
    }

    @Test("a sibling, a parent and an orphan outside read nothing, not even by the authenticator's word")
    func sibling() async throws {
        let (broker, client) = try await prepared()
        let tree = try ProcessTree()
        let leader = try tree.root.spawn()
        try leader.adoptOrphans()
        try await lease(broker, to: leader, "a")
        let child = try leader.spawn()
        let grandchild = try child.spawn()
        #expect(try await isLeased(broker, leader))
        #expect(try await isLeased(broker, grandchild))
        try child.end()
        #expect(try await isLeased(broker, grandchild))
        #expect(try await !isLeased(broker, tree.root))
        #expect(try await !isLeased(broker, try tree.root.spawn()))
        #expect(try await !isLeased(client, "a"))
        let id = try await challenge { try await client.call(Keychain.Get(service: "s", account: "a")) }
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        let facts = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
        #expect(facts.leased == nil)
        let refusal = try await fault { try await sign(broker, id, line) }
        #expect(refusal.name == .brokerNotPermitted)
        await broker.stop()
    }

    @Test("another item, a former value, a change and one item more are asked for")
    func others() async throws {
        let (broker, client) = try await prepared()
        try await lease(broker, client, "a", "b", "open")
        #expect(try await !isLeased(client, "c"))
        func all(_ accounts: String...) -> Keychain.GetAll {
            Keychain.GetAll(items: accounts.map { .init(service: "s", account: $0) })
        }
        #expect(try await isLeased(client, all("b", "a")))
        #expect(try await isLeased(client, all("open", "a")))
        #expect(try await !isLeased(client, all("a", "c")))
        #expect(
            try await !isLeased(
                client, Keychain.Rename(service: "s", account: "a", newService: "s", newAccount: "z")))
        let edit = Keychain.Edit(
            service: "s", account: "a", access: AccessControl.always)
        #expect(try await !isLeased(client, edit))
        await broker.stop()
    }

    // MARK: the end

    @Test(
        "a changed item is asked for again: replaced, deleted and made anew, another access, another key, another name")
    func changedItem() async throws {
        let (broker, client) = try await prepared()
        try await lease(broker, client, "a", "b", "c")
        // A label changes nothing of what the person agreed to.
        _ = try await client.call(Keychain.Edit(service: "s", account: "a", label: "new"))
        #expect(try await isLeased(client, "a"))
        try await set(client, "a")
        #expect(try await !isLeased(client, "a"))
        #expect(try await leases(client).first?.items.map(\.account) == ["b", "c"])
        _ = try await client.call(Keychain.Delete(service: "s", account: "b"))
        try await set(client, "b", .presence)
        #expect(try await !isLeased(client, "b"))
        #expect(try await leases(client).first?.items.map(\.account) == ["c"])
        let rotate = { Keychain.Rotate(service: "s", account: "c", challenge: $0) }
        _ = try await broker.call(client, rotate(nil)) { rotate($0) }
        #expect(try await !isLeased(client, "c"))
        #expect(try await leases(client).isEmpty)
        #expect(try await end(client).hasSuffix("its items have changed"))
        try await lease(broker, client, "a")
        let rename = { Keychain.Rename(service: "s", account: "a", newService: "s", newAccount: "z", challenge: $0) }
        _ = try await broker.call(client, rename(nil)) { rename($0) }
        #expect(try await !isLeased(client, "z"))
        #expect(try await leases(client).isEmpty)
        let back = { Keychain.Rename(service: "s", account: "z", newService: "s", newAccount: "a", challenge: $0) }
        _ = try await broker.call(client, back(nil)) { back($0) }
        try await lease(broker, client, "a")
        let tighter = AccessControl.whenUnlocked.requiring(.userPresence, .devicePasscode)
        let edit = { Keychain.Edit(service: "s", account: "a", access: tighter, challenge: $0) }
        _ = try await broker.call(client, edit(nil)) { edit($0) }
        #expect(try await !isLeased(client, "a"))
        await broker.stop()
    }

    @Test("a lock ends it, also for what can be read while locked")
    func lock() async throws {
        let (broker, client) = try await prepared()
        try await set(client, "late", AccessControl.afterFirstUnlock.requiring(.userPresence))
        try await lease(broker, client, "a", "late")
        #expect(try await isLeased(client, "late"))
        _ = try await client.call(Keychain.Lock())
        #expect(try await leases(client).isEmpty)
        #expect(try await !isLeased(client, "late"))
        #expect(try await end(client).hasSuffix("the vault was locked"))
        try await broker.makeVault(client)
        #expect(try await !isLeased(client, "a"))
        await broker.stop()
    }

    @Test("a lock between the person's answer and the call leaves no lease")
    func lockMeanwhile() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(wanted(["a"])) }
        try await broker.authenticator.grant(id)
        _ = try await client.call(Keychain.Lock())
        let refusal = try await fault { try await client.call(wanted(["a"], challenge: id)) }
        #expect(refusal.name == .challengeRefused)
        #expect(try await leases(client).isEmpty)
        await broker.stop()
    }

    @Test("time ends it")
    func time() async throws {
        let clock = TestClock()
        let (broker, client) = try await prepared(clock: clock)
        try await lease(broker, client, "a", seconds: 60)
        clock.advance(by: .seconds(59))
        #expect(try await isLeased(client, "a"))
        clock.advance(by: .seconds(2))
        #expect(try await !isLeased(client, "a"))
        #expect(try await leases(client).isEmpty)
        #expect(try await end(client).hasSuffix("its time is over"))
        await broker.stop()
    }

    @Test("forgetting ends it, by the client's call and by the authenticator's, and not another user's")
    func forget() async throws {
        let (broker, client) = try await prepared()
        let line = try broker.authenticator.connect()
        let uid = Int64(OwnProcess.effectiveUser)
        for isClient in [true, false] {
            try await lease(broker, client, "a")
            _ = try await line.call(BrokerInterface.EndLeases(uid: uid + 1))
            #expect(try await isLeased(client, "a"))
            if isClient {
                #expect(try await client.call(Keychain.EndLeases()).ended == 1)
            } else {
                _ = try await line.call(BrokerInterface.EndLeases(uid: uid))
            }
            #expect(try await !isLeased(client, "a"))
            #expect(try await leases(client).isEmpty)
        }
        #expect(try await end(client).hasSuffix("it was ended by coffer forget"))
        await broker.stop()
    }

    @Test("the process's end ends it at once: nobody asks, and it is no longer listed")
    func leaderEnded() async throws {
        let (broker, client) = try await prepared()
        let tree = try ProcessTree()
        try tree.root.adoptOrphans()
        let leader = try tree.root.spawn()
        try await lease(broker, to: leader, "a")
        let child = try leader.spawn()
        #expect(try await isLeased(broker, child))
        try leader.end()
        #expect(try await !isLeased(broker, child))
        #expect(try await end(client).hasSuffix("its process has ended"))
        #expect(try await leases(client).isEmpty)
        await broker.stop()
    }

    @Test("a broker that starts again has no leases")
    func restart() async throws {
        let (broker, client) = try await prepared()
        try await lease(broker, client, "a")
        await client.close()
        await broker.stop()
        let (again, other) = try await prepared(folder: broker.folder, authenticator: broker.authenticator)
        #expect(try await leases(other).isEmpty)
        #expect(try await !isLeased(other, "a"))
        await again.stop()
    }
}
