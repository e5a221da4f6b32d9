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

/// `GetAll`: several items under one challenge, all or none.
@Suite(.timeLimit(.minutes(30)))
struct JointReadTests {
    /// An unlocked vault with gated items s/a, s/b, s/c, and s/open that requires nothing. Each has its own value.
    private func prepared(clock: TestClock? = nil) async throws -> (ThrowAwayBroker, WireClient) {
        var options = Broker.Options.patient
        if let clock { options.clock = clock.clock }
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        for account in ["a", "b", "c"] { try await set(client, account, .presence) }
        try await set(client, "open")
        return (broker, client)
    }

    private func set(
        _ client: WireClient, _ account: String, _ access: AccessControl? = nil, value: String? = nil
    ) async throws {
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: account, value: value ?? Self.value(account),
                access: access.map(Keychain.AccessChange.init(whole:))))
    }

    private static func value(_ account: String) -> String { Data("value of \(account)".utf8).base64EncodedString() }

    private func get(_ accounts: String..., challenge: String? = nil) -> Keychain.GetAll {
        Keychain.GetAll(
            items: accounts.map { .init(service: "s", account: $0) }, reason: "report", challenge: challenge)
    }

    private func expectRefused(
        _ client: WireClient, _ method: Keychain.GetAll, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let refusal = try await fault { try await client.call(method) }
        #expect(refusal.name == .challengeRefused, sourceLocation: location)
        // The error does not say which item it was.
        #expect(refusal.details.message?.hasPrefix("s/") == false, sourceLocation: location)
    }

    private func granted(_ broker: ThrowAwayBroker, _ client: WireClient, _ accounts: String...) async throws -> String
    {
        let method = Keychain.GetAll(items: accounts.map { .init(service: "s", account: $0) }, reason: "report")
        let id = try await challenge { try await client.call(method) }
        try await broker.authenticator.grant(id)
        return id
    }

    private func records(_ client: WireClient) async throws -> [Keychain.LogRecord] {
        try await client.call(Keychain.Log()).records.filter { $0.event == "read" }
    }

    // MARK: one prompt for all

    @Test("one challenge names all items and takes a signature for each that requires one; each read is recorded")
    func together() async throws {
        let (broker, client) = try await prepared()
        let refusal = try await fault { try await client.call(get("c", "open", "a", "b")) }
        #expect(refusal.name == .authenticationRequired && refusal.details.purposes == ["read"])
        let id = try #require(refusal.details.challenge)
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        let facts = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
        #expect(facts.purposes == [.read] && facts.service == nil && facts.account == nil && facts.reason == "report")
        #expect(facts.items?.map(\.account) == ["c", "open", "a", "b"])
        #expect(facts.authorizations.map(\.kind) == ["presence", "presence", "presence"])
        #expect(facts.alternatives == [[0, 1, 2]])
        #expect(try await line.call(BrokerInterface.Companions(challenge: id)).companions.isEmpty)
        for index in 0..<3 {
            try await broker.authenticator.sign(id, index, facts.authorizations[index], owner: .user(uid), line)
        }
        let reply = try await client.call(get("c", "open", "a", "b", challenge: id))
        #expect(reply.items.map(\.item.account) == ["c", "open", "a", "b"])
        #expect(reply.items.map(\.value) == ["c", "open", "a", "b"].map(Self.value))
        let found = try await records(client)
        #expect(found.map { "\($0.account ?? "-") \($0.outcome)" } == ["c done", "open done", "a done", "b done"])
        #expect(found.map(\.require) == [["presence"], [], ["presence"], ["presence"]])
        #expect(found.allSatisfy { $0.reason == "report" })
        #expect(try await client.call(Keychain.VerifyLog()).whole)
        await broker.stop()
    }

    @Test("items that require nothing are read without a person, in the order of the call")
    func unasked() async throws {
        let (broker, client) = try await prepared()
        try await set(client, "other")
        let reply = try await client.call(get("other", "open"))
        #expect(reply.items.map(\.value) == ["other", "open"].map(Self.value))
        #expect(try await records(client).map(\.account) == ["other", "open"])
        await broker.stop()
    }

    @Test("a locked vault: an error that names the item, or one challenge that opens it and reads all")
    func locked() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Lock())
        let refusal = try await fault { try await client.call(get("a", "open")) }
        #expect(refusal.name == .locked && refusal.details.message?.hasPrefix("s/a: ") == true)
        var method = get("a", "open", "b")
        method.unlock = true
        let asked = try await fault { try await client.call(method) }
        #expect(asked.details.purposes == ["unlock", "read"])
        try await broker.authenticator.grant(try #require(asked.details.challenge))
        method.challenge = asked.details.challenge
        #expect(try await client.call(method).items.map(\.value) == ["a", "open", "b"].map(Self.value))
        // Items that require nothing need the open vault only.
        _ = try await client.call(Keychain.Lock())
        var open = get("open")
        open.unlock = true
        let unlocking = try await fault { try await client.call(open) }
        #expect(unlocking.details.purposes == ["unlock"])
        try await broker.authenticator.grant(try #require(unlocking.details.challenge))
        open.challenge = unlocking.details.challenge
        #expect(try await client.call(open).items.map(\.value) == [Self.value("open")])
        await broker.stop()
    }

    @Test("items of one name and different kinds are different items, and the person is told which")
    func sameName() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: "a", kind: .key, value: Self.value("key"),
                access: Keychain.AccessChange(.presence)))
        var method = Keychain.GetAll(
            items: [.init(service: "s", account: "a", kind: .key), .init(service: "s", account: "a")])
        let id = try await challenge { try await client.call(method) }
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        let facts = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
        #expect(facts.items?.map(\.kind) == [.key, nil])
        for index in 0..<2 {
            try await broker.authenticator.sign(id, index, facts.authorizations[index], owner: .user(uid), line)
        }
        method.challenge = id
        #expect(try await client.call(method).items.map(\.value) == ["key", "a"].map(Self.value))
        #expect(try await records(client).map(\.kind) == [.key, nil])
        let single = Keychain.Get(service: "s", account: "a", kind: .key)
        let other = try await challenge { try await client.call(single) }
        let second = try broker.authenticator.connect()
        let described = try await second.call(
            TestAuthenticator.describe(other, uid: uid, TestAuthenticator.thisProcess()))
        #expect(described.kind == .key)
        let missing = Keychain.GetAll(items: [.init(service: "s", account: "b", kind: .file)])
        let refusal = try await fault { try await client.call(missing) }
        #expect(refusal.details.message?.hasPrefix("s/b (file): ") == true)
        await broker.stop()
    }

    // MARK: all or nothing

    @Test("one item that cannot be given out: nothing is, nobody is asked, and the error names it")
    func allOrNothing() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: "word", value: someValue, access: .init(require: [.applicationPassword]),
                applicationPassword: someValue))
        _ = try await client.call(
            Keychain.Set(service: "s", account: "old", value: someValue, expires: 1))
        _ = try await client.call(Keychain.Set(service: "one", account: "x", value: someValue))
        typealias Name = Keychain.ItemName
        let cases: [(Name, Fault.Name, String)] = [
            (Name(service: "s", account: "missing"), .notFound, "s/missing: "),
            (Name(service: "S"), .notFound, "S: "),
            (Name(service: "s"), .ambiguous, "s: "),
            (Name(service: "s", account: "old"), .notFound, "s/old: "),
            (Name(service: "s", account: "word"), .invalidArgument, "s/word needs its application password"),
            (Name(service: "s", account: "open"), .invalidArgument, "s/open is named twice"),
            (
                Name(service: "s", account: String(repeating: "x", count: 1025)), .limitExceeded,
                "a service or an account"
            ),
        ]
        for (name, error, words) in cases {
            for items in [[name, Name(service: "s", account: "open")], [Name(service: "s", account: "a"), name]] {
                let isTwice = words.contains("twice")
                let method = Keychain.GetAll(items: isTwice ? items + [name] : items)
                let refusal = try await fault { try await client.call(method) }
                #expect(refusal.name == error, "\(name)")
                #expect(refusal.details.message?.hasPrefix(words) == true, "\(refusal)")
            }
        }
        // One item by two names is one item.
        let twice = [Name(service: "one", account: "x"), Name(service: "one")]
        #expect(try await fault { try await client.call(Keychain.GetAll(items: twice)) }.name == .invalidArgument)
        #expect(try await fault { try await client.call(Keychain.GetAll(items: [])) }.name == .invalidArgument)
        #expect(try await records(client).isEmpty)
        await broker.stop()
    }

    @Test("thirty-two items are read at once, thirty-three are not")
    func number() async throws {
        let (broker, client) = try await prepared()
        let accounts = (0..<33).map { "item-\($0)" }
        for account in accounts { try await set(client, account, .presence) }
        func method(_ accounts: some Sequence<String>, _ id: String? = nil) -> Keychain.GetAll {
            Keychain.GetAll(items: accounts.map { .init(service: "s", account: $0) }, challenge: id)
        }
        let refusal = try await fault { try await client.call(method(accounts)) }
        #expect(refusal.name == .limitExceeded && refusal.details.advice == "read fewer items at once")
        // Even if nobody is to be asked.
        let others = (0..<33).map { "open-\($0)" }
        for account in others { try await set(client, account) }
        #expect(try await fault { try await client.call(method(others)) }.name == .limitExceeded)
        #expect(try await client.call(method(others.dropLast())).items.count == 32)
        let id = try await challenge { try await client.call(method(accounts.dropLast())) }
        try await broker.authenticator.grant(id)
        let reply = try await client.call(method(accounts.dropLast(), id))
        #expect(reply.items.map(\.value) == accounts.dropLast().map(Self.value))
        await broker.stop()
    }

    @Test("what does not fit into one answer is refused before anybody is asked")
    func size() async throws {
        let (broker, client) = try await prepared()
        let large = Data(repeating: 0x5a, count: 1 << 20).base64EncodedString()
        try await set(client, "large", .presence, value: large)
        try await set(client, "also", .presence, value: large)
        let id = try await granted(broker, client, "large", "open")
        let reply = try await client.call(get("large", "open", challenge: id))
        #expect(reply.items.map(\.value) == [large, Self.value("open")])
        let refusal = try await fault { try await client.call(get("large", "also")) }
        #expect(refusal.name == .limitExceeded)
        // Names and attributes count, too.
        let wide = Dictionary(uniqueKeysWithValues: (0..<64).map { ("\($0)", String(repeating: "\u{1}", count: 4000)) })
        for account in ["wide", "side"] {
            _ = try await client.call(
                Keychain.Set(service: "s", account: account, value: someValue, attributes: wide))
        }
        #expect(try await fault { try await client.call(get("wide", "side")) }.name == .limitExceeded)
        #expect(try await client.call(get("wide")).items.count == 1)
        await broker.stop()
    }

    @Test("names that do not fit into one prompt, and too many requirements, are refused before anybody is asked")
    func prompt() async throws {
        let (broker, client) = try await prepared()
        let long = (0..<20).map { "\($0)" + String(repeating: "x", count: 1000) }
        for account in long { try await set(client, account, .presence) }
        func method(_ accounts: some Sequence<String>) -> Keychain.GetAll {
            Keychain.GetAll(items: accounts.map { .init(service: "s", account: $0) })
        }
        let refusal = try await fault { try await client.call(method(long)) }
        #expect(refusal.name == .limitExceeded && refusal.details.message?.contains("one prompt") == true)
        _ = try await challenge { try await client.call(method(long.prefix(12))) }
        let double = (0..<17).map { "double-\($0)" }
        for account in double {
            try await set(client, account, .whenUnlocked.requiring(.userPresence, .devicePasscode))
        }
        let many = try await fault { try await client.call(method(double)) }
        #expect(many.name == .limitExceeded && many.details.message?.contains("requirements") == true)
        _ = try await challenge { try await client.call(method(double.dropLast())) }
        await broker.stop()
    }

    @Test("items of different kinds: all kinds that are needed, and of alternatives those that most items share")
    func kinds() async throws {
        let (broker, client) = try await prepared()
        try await set(client, "pass", .whenUnlocked.requiring(.devicePasscode))
        try await set(client, "either", .whenUnlocked.requiringAny(of: .userPresence, .devicePasscode))
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        func ways(_ method: Keychain.GetAll) async throws -> [[String]] {
            let id = try await challenge { try await client.call(method) }
            let facts = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
            _ = try await line.call(BrokerInterface.Refuse(challenge: id, reason: "cancelled"))
            return facts.alternatives.map { way in way.map { facts.authorizations[Int($0)].kind } }
        }
        #expect(try await ways(get("a", "pass")) == [["presence", "passcode"]])
        #expect(try await ways(get("either", "pass")) == [["passcode", "passcode"]])
        #expect(try await ways(get("either", "a")) == [["presence", "presence"]])
        #expect(try await ways(get("either")) == [["presence"], ["passcode"]])
        let id = try await granted(broker, client, "either", "pass", "a")
        let reply = try await client.call(get("either", "pass", "a", challenge: id))
        #expect(reply.items.map(\.value) == ["either", "pass", "a"].map(Self.value))
        await broker.stop()
    }

    @Test("of several gated items no value leaves before the vault vouches for all records")
    func recordedFirst() async throws {
        // No timer runs, so nothing but the read itself can write.
        let (broker, client) = try await prepared(clock: TestClock())
        let stem = "\(broker.configuration.vaultDirectory)/\(Owner.user(OwnProcess.effectiveUser).fileStem)"
        let vault = URL(fileURLWithPath: stem + ".vault")
        let id = try await granted(broker, client, "a", "open", "b")
        let before = try Data(contentsOf: vault)
        #expect(try await client.call(get("a", "open", "b", challenge: id)).items.count == 3)
        #expect(try Data(contentsOf: vault) != before)
        // Neither the log nor the copy that would be kept aside can be written now.
        let next = try await granted(broker, client, "a", "b")
        try FileManager.default.removeItem(atPath: stem + ".log")
        try FileManager.default.createDirectory(atPath: stem + ".log", withIntermediateDirectories: false)
        for suffix in ["", ".2", ".3", ".4", ".5"] {
            try FileManager.default.createDirectory(
                atPath: stem + ".log.damaged\(suffix)/full", withIntermediateDirectories: true)
        }
        #expect(try await fault { try await client.call(get("a", "b", challenge: next)) }.name == .failed)
        await broker.stop()
    }

    // MARK: attackers 3, 4 and 9

    @Test("a grant for some items reads no others, no fewer and no single one")
    func otherItems() async throws {
        let (broker, client) = try await prepared()
        for method in [get("a", "c"), get("a"), get("a", "b", "c"), get("b", "a"), get("a", "b", "open")] {
            var method = method
            method.challenge = try await granted(broker, client, "a", "b")
            try await expectRefused(client, method)
        }
        // Neither does one for the items read one of them, nor change or renew it.
        let single = Keychain.Get(
            service: "s", account: "a", challenge: try await granted(broker, client, "a"))
        #expect(try await fault { try await client.call(single) }.name == .challengeRefused)
        let rotate = Keychain.Rotate(
            service: "s", account: "a", challenge: try await granted(broker, client, "a"))
        #expect(try await fault { try await client.call(rotate) }.name == .challengeRefused)
        let edit = Keychain.Edit(
            service: "s", account: "a", access: .whenUnlocked, challenge: try await granted(broker, client, "a"))
        #expect(try await fault { try await client.call(edit) }.name == .challengeRefused)
        // One that opens the vault reads nothing, and nobody is asked a second time for one call.
        _ = try await client.call(Keychain.Lock())
        let unlocking = try await challenge { try await client.call(Keychain.Unlock()) }
        try await broker.authenticator.grant(unlocking)
        try await expectRefused(client, get("a", challenge: unlocking))
        // One for a single item reads no list.
        let id = try await challenge { try await client.call(Keychain.Get(service: "s", account: "a")) }
        try await broker.authenticator.grant(id)
        try await expectRefused(client, get("a", challenge: id))
        await broker.stop()
    }

    @Test("a grant is good for one call, and spent by a refused one")
    func replayed() async throws {
        let (broker, client) = try await prepared()
        let id = try await granted(broker, client, "a", "b")
        #expect(try await client.call(get("a", "b", challenge: id)).items.count == 2)
        try await expectRefused(client, get("a", "b", challenge: id))
        let other = try await granted(broker, client, "a", "b")
        try await expectRefused(client, get("a", "c", challenge: other))
        try await expectRefused(client, get("a", "b", challenge: other))
        #expect(try await records(client).filter { $0.outcome == "done" }.count == 2)
        await broker.stop()
    }

    @Test("a change of any of the items, also of one that requires nothing, ends the grant", arguments: ["b", "open"])
    func changed(account: String) async throws {
        let (broker, client) = try await prepared()
        let id = try await granted(broker, client, "a", "b", "open")
        try await set(client, account, value: "bmV3")
        try await expectRefused(client, get("a", "b", "open", challenge: id))
        // A grant for one version reads no later one, even one that needs no grant.
        let loose = try await granted(broker, client, "a", "c")
        try await set(client, "c", .whenUnlocked, value: "bmV3")
        try await expectRefused(client, get("a", "c", challenge: loose))
        await broker.stop()
    }

    @Test("another process of the same user cannot use the grant, nor spoil it")
    func anothersProcess() async throws {
        let (broker, client) = try await prepared()
        let id = try await granted(broker, client, "a", "b")
        let other = try await OtherProcess(socket: broker.configuration.socket)
        let names = #"[{"service":"s","account":"a"},{"service":"s","account":"b"}]"#
        let answer = try await other.say(
            #"{"method":"org.coffer.Keychain.GetAll","parameters":{"items":\#(names),"challenge":"\#(id)"}}"#)
        #expect(answer.contains("ChallengeRefused") && !answer.contains(Self.value("a")))
        #expect(try await client.call(get("a", "b", challenge: id)).items.count == 2)
        await broker.stop()
    }

    @Test("a lock ends the grant, and a half-signed challenge gives nothing")
    func lockedMeanwhile() async throws {
        let (broker, client) = try await prepared()
        let id = try await granted(broker, client, "a", "b")
        _ = try await client.call(Keychain.Lock())
        try await expectRefused(client, get("a", "b", challenge: id))
        _ = try await broker.call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        let half = try await challenge { try await client.call(get("a", "b")) }
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        let facts = try await line.call(TestAuthenticator.describe(half, uid: uid, TestAuthenticator.thisProcess()))
        try await broker.authenticator.sign(half, 0, facts.authorizations[0], owner: .user(uid), line)
        try await expectRefused(client, get("a", challenge: half))
        await broker.stop()
    }

    @Test("what a person refused, or nobody answered, is recorded for each item, and the challenge is gone")
    func refused() async throws {
        let (broker, client) = try await prepared()
        let uid = OwnProcess.effectiveUser
        let id = try await challenge { try await client.call(get("a", "open", "b")) }
        let line = try broker.authenticator.connect()
        _ = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
        _ = try await line.call(BrokerInterface.Refuse(challenge: id, reason: "password"))
        var found = try await records(client)
        #expect(found.map { "\($0.account ?? "-") \($0.outcome)" } == ["a password", "open password", "b password"])
        #expect(found.map(\.require) == [["presence"], [], ["presence"]])
        #expect(found.allSatisfy { $0.reason == "report" })
        try await expectRefused(client, get("a", "open", "b", challenge: id))
        found = try await records(client).suffix(3)
        #expect(
            found.map { "\($0.account ?? "-") \($0.outcome)" }
                == ["a challenge-refused", "open challenge-refused", "b challenge-refused"])
        // The authenticator is gone.
        let second = try await challenge { try await client.call(get("a", "c")) }
        let other = try broker.authenticator.connect()
        _ = try await other.call(TestAuthenticator.describe(second, uid: uid, TestAuthenticator.thisProcess()))
        await other.close()
        let limit = ContinuousClock.now + patience
        while found.count < 8, ContinuousClock.now < limit { found = try await records(client) }
        #expect(found.suffix(2).map { "\($0.account ?? "-") \($0.outcome)" } == ["a cancelled", "c cancelled"])
        try await expectRefused(client, get("a", "c", challenge: second))
        // Nobody could be asked.
        let third = try await challenge { try await client.call(get("b", "c")) }
        _ = try await client.call(Keychain.Withdraw(challenge: third))
        found = try await records(client).suffix(2)
        #expect(found.map(\.account) == ["b", "c"])
        #expect(found.allSatisfy { $0.outcome == "authentication-required" })
        await broker.stop()
    }

    @Test("the time for many signatures begins with the first of them, and only then")
    func time() async throws {
        let clock = TestClock()
        let (broker, client) = try await prepared(clock: clock)
        let uid = OwnProcess.effectiveUser
        let life = broker.configuration.promptTimeout + 30
        for isSlow in [false, true] {
            let id = try await challenge { try await client.call(get("a", "b", "c")) }
            let line = try broker.authenticator.connect()
            let facts = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
            // The person answers in the last moment.
            clock.advance(by: .seconds(life - 1))
            try await broker.authenticator.sign(id, 0, facts.authorizations[0], owner: .user(uid), line)
            clock.advance(by: .seconds(life - 2))
            try await broker.authenticator.sign(id, 1, facts.authorizations[1], owner: .user(uid), line)
            clock.advance(by: .seconds(isSlow ? 3 : 1))
            guard isSlow else {
                try await broker.authenticator.sign(id, 2, facts.authorizations[2], owner: .user(uid), line)
                #expect(try await client.call(get("a", "b", "c", challenge: id)).items.count == 3)
                continue
            }
            let late = try await fault {
                try await broker.authenticator.sign(id, 2, facts.authorizations[2], owner: .user(uid), line)
            }
            #expect(late.name == .brokerChallengeRefused)
            try await expectRefused(client, get("a", "b", "c", challenge: id))
        }
        await broker.stop()
    }
}
