import Authorization
import Broker
import BrokerProtocol
import Foundation
import Item
import Platform
import RootConfiguration
import TestSupport
import Testing

/// Plays malware of the same user, and other users, with challenges in every wrong order (attackers 3, 4 and 9).
@Suite(.timeLimit(.minutes(30)))
struct ChallengeAttackTests {
    /// A vault with a gated item s/a, and a client.
    private func prepared(clock: TestClock? = nil) async throws -> (ThrowAwayBroker, WireClient) {
        var options = Broker.Options.patient
        if let clock { options.clock = clock.clock }
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        return (broker, client)
    }

    private func get(_ challenge: String? = nil, account: String = "a") -> Keychain.Get {
        Keychain.Get(service: "s", account: account, challenge: challenge)
    }

    private func expectRefused(
        _ client: WireClient, _ method: Keychain.Get, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let refusal = try await fault { try await client.call(method) }
        #expect(refusal.name == .challengeRefused, sourceLocation: location)
    }

    @Test("a challenge is good for one read")
    func replayed() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(id)
        #expect(try await client.call(get(id)).value == someValue)
        try await expectRefused(client, get(id))
        await broker.stop()
    }

    @Test("parallel calls with one challenge get one value")
    func parallel() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(id)
        let clients = try (0..<8).map { _ in try broker.client() }
        let method = get(id)
        let values = await withTaskGroup(of: Bool.self) { group in
            // Only the number that get through counts, not how the others fail.
            for client in clients { group.addTask { (try? await client.call(method)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(values == 1)
        await broker.stop()
    }

    @Test("another process of the same user cannot use a granted challenge, nor spoil it")
    func anothersProcess() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(id)
        let other = try await OtherProcess(socket: broker.configuration.socket)
        let call =
            #"{"method":"org.coffer.Keychain.Get","parameters":{"service":"s","account":"a","challenge":"\#(id)"}}"#
        let answer = try await other.say(call)
        #expect(answer.contains("ChallengeRefused") && !answer.contains(someValue))
        #expect(try await client.call(get(id)).value == someValue)
        await broker.stop()
    }

    @Test("an authenticator that was called by another process gets no facts")
    func describedForAnother() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(get()) }
        let me = try TestAuthenticator.thisProcess()
        let uid = OwnProcess.effectiveUser
        let line = try broker.authenticator.connect()
        for (user, process) in [
            (uid, ProcessIdentity(pid: me.pid + 1, startTime: me.startTime)),
            (uid, ProcessIdentity(pid: me.pid, startTime: me.startTime + 1)),
            (uid + 1, me),
        ] {
            let refusal = try await fault { try await line.call(TestAuthenticator.describe(id, uid: user, process)) }
            #expect(refusal.name == .brokerChallengeRefused)
        }
        // None of this has spent it.
        try await broker.authenticator.grant(id)
        #expect(try await client.call(get(id)).value == someValue)
        await broker.stop()
    }

    @Test(
        "another user cannot use a granted challenge",
        .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
    func anothersUser() async throws {
        let (broker, client) = try await prepared()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: broker.folder.path)
        let id = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(id)
        let other = try await OtherProcess(socket: broker.configuration.socket, uid: 1)
        let call = #"{"method":"org.coffer.Keychain.Unlock","parameters":{"challenge":"\#(id)"}}"#
        let answer = try await other.say(call)
        // That user has no vault. The answer is the same as for anybody without a vault, and reveals nothing of this
        // one.
        #expect(answer.contains(#""purposes":["create"]"#))
        #expect(try await client.call(get(id)).value == someValue)
        await broker.stop()
    }

    @Test("a grant for one item reads no other")
    func anothersItem() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "b", value: someValue, access: .presence))
        let id = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(id)
        try await expectRefused(client, get(id, account: "b"))
        await broker.stop()
    }

    @Test("a grant for one version reads no later one")
    func changedItem() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(id)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: "bmV3", access: .presence))
        try await expectRefused(client, get(id))
        await broker.stop()
    }

    @Test("a grant for one version reads no later one, even one that needs no grant")
    func loosenedItem() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(id)
        _ = try await client.call(
            Keychain.Set(service: "s", account: "a", value: "bmV3", access: AccessControl.whenUnlocked))
        try await expectRefused(client, get(id))
        await broker.stop()
    }

    @Test("challenges and grants run out")
    func expired() async throws {
        let clock = TestClock()
        let (broker, client) = try await prepared(clock: clock)
        let id = try await challenge { try await client.call(get()) }
        clock.advance(by: .seconds(broker.configuration.promptTimeout + 31))
        #expect(try await fault { try await broker.authenticator.grant(id) }.name == .brokerChallengeRefused)
        let second = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(second)
        clock.advance(by: .seconds(31))
        try await expectRefused(client, get(second))
        await broker.stop()
    }

    @Test("guessed, unanswered and half-answered challenges give nothing")
    func guessed() async throws {
        let (broker, client) = try await prepared()
        for guess in ["", "x", String(repeating: "A", count: 43), String(repeating: "A", count: 1 << 20)] {
            try await expectRefused(client, get(guess))
        }
        let id = try await challenge { try await client.call(get()) }
        try await expectRefused(client, get(id))
        let second = try await challenge { try await client.call(get()) }
        let line = try broker.authenticator.connect()
        _ = try await line.call(
            TestAuthenticator.describe(second, uid: OwnProcess.effectiveUser, .init(observing: getpid())))
        _ = try await line.call(BrokerInterface.Prepare(challenge: second, authorization: 0))
        try await expectRefused(client, get(second))
        await broker.stop()
    }

    @Test("locking ends what a person had granted")
    func lockedMeanwhile() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(id)
        _ = try await client.call(Keychain.Lock())
        try await expectRefused(client, get(id))
        let unlocking = try await challenge { try await client.call(Keychain.Unlock()) }
        _ = try await client.call(Keychain.Lock())
        #expect(try await fault { try await broker.authenticator.grant(unlocking) }.name == .brokerChallengeRefused)
        #expect(try await client.call(Keychain.Status()).vault.state == .locked)
        await broker.stop()
    }

    @Test("a signature that was made for another item opens nothing")
    func anothersSignature() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "b", value: someValue, access: .presence))
        let first = try await challenge { try await client.call(get()) }
        let second = try await challenge { try await client.call(get(account: "b")) }
        let me = try TestAuthenticator.thisProcess()
        let uid = OwnProcess.effectiveUser
        let (one, two) = (try broker.authenticator.connect(), try broker.authenticator.connect())
        _ = try await one.call(TestAuthenticator.describe(first, uid: uid, me))
        _ = try await two.call(TestAuthenticator.describe(second, uid: uid, me))
        let question = try await one.call(BrokerInterface.Prepare(challenge: first, authorization: 0))
        let signature = try broker.authenticator.signature(for: question, kind: "presence", owner: .user(uid))
        // The session for the first is given up, so that the sealer is free for the second.
        await one.close()
        _ = try await two.call(BrokerInterface.Prepare(challenge: second, authorization: 0))
        let refusal = try await fault {
            try await two.call(BrokerInterface.Complete(challenge: second, authorization: 0, signature: signature))
        }
        #expect(refusal.name == .brokerTPM && refusal.details.kind == "refused")
        try await expectRefused(client, get(second, account: "b"))
        await broker.stop()
    }

    @Test("each signature is asked for once and brought once")
    func completedTwice() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(get()) }
        let uid = OwnProcess.effectiveUser
        let line = try broker.authenticator.connect()
        let facts = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
        #expect(
            facts.service == "s" && facts.account == "a" && facts.purposes == [.read] && facts.alternatives == [[0]])
        let question = try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
        #expect(
            try await fault { try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0)) }.name
                == .brokerChallengeRefused)
        let signature = try broker.authenticator.signature(for: question, kind: "presence", owner: .user(uid))
        let complete = BrokerInterface.Complete(challenge: id, authorization: 0, signature: signature)
        _ = try await line.call(complete)
        #expect(try await fault { try await line.call(complete) }.name == .brokerChallengeRefused)
        #expect(
            try await fault {
                try await line.call(BrokerInterface.Complete(challenge: id, authorization: 7, signature: signature))
            }.name == .brokerChallengeRefused)
        #expect(try await client.call(get(id)).value == someValue)
        await broker.stop()
    }

    @Test("a person's refusal ends the challenge")
    func refused() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(get()) }
        let line = try broker.authenticator.connect()
        _ = try await line.call(
            TestAuthenticator.describe(id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        _ = try await line.call(BrokerInterface.Refuse(challenge: id, reason: "password"))
        try await expectRefused(client, get(id))
        #expect(
            try await fault { try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0)) }.name
                == .brokerChallengeRefused)
        await broker.stop()
    }

    @Test("a user has so many open questions and no more; those of the dead do not count")
    func tooMany() async throws {
        let (broker, _) = try await prepared()
        let call = #"{"method":"org.coffer.Keychain.Get","parameters":{"service":"s","account":"a"}}"#
        var others: [OtherProcess] = []
        for _ in 0..<broker.configuration.authenticationsPerUser {
            let other = try await OtherProcess(socket: broker.configuration.socket)
            #expect(try await other.say(call).contains("AuthenticationRequired"))
            others.append(other)
        }
        let client = try broker.client()
        #expect(try await fault { try await client.call(get()) }.name == .limitExceeded)
        let gone = others.removeLast()
        try await gone.end()
        #expect(try await fault { try await client.call(get()) }.name == .authenticationRequired)
        await broker.stop()
    }
}
