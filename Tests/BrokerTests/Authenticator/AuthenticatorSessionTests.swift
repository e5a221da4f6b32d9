import Authorization
import Broker
import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

/// What an authenticator says wrongly. It ends that one conversation, leaves the sealer to the next, and is logged.
@Suite(.timeLimit(.minutes(30)))
struct AuthenticatorSessionTests {
    private static let get = Keychain.Get(service: "s", account: "a")
    private static let signature = text(64)

    /// So many bytes, in base64.
    private static func text(_ count: Int) -> String { Data(repeating: 7, count: count).base64EncodedString() }

    /// A vault with a gated item s/a, and a client.
    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        return (broker, client)
    }

    /// A whole read, which needs the sealer.
    private func expectRead(_ broker: ThrowAwayBroker, _ client: WireClient) async throws {
        let reply = try await broker.call(client, Self.get) {
            Keychain.Get(service: "s", account: "a", challenge: $0)
        }
        #expect(reply.value == someValue)
    }

    @Test("numbers that no process has, and a path that is longer than any, describe nothing and spend nothing")
    func describe() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(Self.get) }
        let line = try broker.authenticator.connect()
        let (me, uid) = (try TestAuthenticator.thisProcess(), Int64(OwnProcess.effectiveUser))
        let (pid, start) = (Int64(me.pid), Int64(clamping: me.startTime))
        let wrong: [(Int64, Int64, Int64)] = [
            (-1, pid, start), (1 << 32, pid, start), (uid, 1 << 31, start), (uid, pid, -1),
        ]
        for (uid, pid, start) in wrong {
            let refused = try await fault {
                try await line.call(BrokerInterface.Describe(challenge: id, uid: uid, pid: pid, startTime: start))
            }
            #expect(refused.name == .brokerInvalidArgument, "\(uid) \(pid) \(start)")
        }
        func describe(_ count: Int) async throws -> BrokerInterface.Describe.Reply {
            try await line.call(
                TestAuthenticator.describe(
                    id, uid: OwnProcess.effectiveUser, me, program: String(repeating: "x", count: count)))
        }
        #expect(try await fault { try await describe(4097) }.name == .brokerInvalidArgument)
        #expect(try await describe(4096).service == "s")
        await broker.stop()
    }

    @Test("a signature or a PIN of another length, or for a lease there is not, ends challenge and the sealer's use")
    func complete() async throws {
        let (broker, client) = try await prepared()
        typealias Complete = BrokerInterface.Complete
        let cases: [(Fault.Name, (String) -> Complete)] = [
            (.brokerInvalidArgument, { Complete(challenge: $0, authorization: 0, signature: "!") }),
            (.brokerInvalidArgument, { Complete(challenge: $0, authorization: 0, signature: Self.text(63)) }),
            (.brokerInvalidArgument, { Complete(challenge: $0, authorization: 0, signature: Self.text(65)) }),
            (
                .brokerInvalidArgument,
                { Complete(challenge: $0, authorization: 0, signature: Self.signature, pin: Self.text(31)) }
            ),
            (
                .brokerInvalidArgument,
                { Complete(challenge: $0, authorization: 0, signature: Self.signature, pin: Self.text(33)) }
            ),
            (
                .brokerNotPermitted,
                { Complete(challenge: $0, authorization: 0, signature: Self.signature, means: "lease") }
            ),
        ]
        for (number, (name, wrong)) in cases.enumerated() {
            let id = try await challenge { try await client.call(Self.get) }
            let line = try await broker.authenticator.described(id)
            _ = try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
            let refused = try await fault { try await line.call(wrong(id)) }
            #expect(refused.name == name, "\(number)")
            let later = try await fault { try await line.call(BrokerInterface.Companions(challenge: id)) }
            #expect(later.name == .brokerChallengeRefused, "\(number)")
            let last = try await client.call(Keychain.Log()).records.last { $0.event == "read" }
            #expect(
                last?.outcome == (name == .brokerNotPermitted ? "not-permitted" : "invalid-argument"), "\(number)")
            // The connection is still there, so nothing else ends the sealer's use.
            try await expectRead(broker, client)
            await line.close()
        }
        await broker.stop()
    }

    @Test("a refusal ends the challenge and the sealer's use of it, and the log has so much of its word")
    func refuse() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(Self.get) }
        let line = try await broker.authenticator.described(id)
        _ = try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
        _ = try await line.call(
            BrokerInterface.Refuse(challenge: id, reason: String(repeating: "x", count: 33)))
        let later = try await fault { try await line.call(BrokerInterface.Companions(challenge: id)) }
        #expect(later.name == .brokerChallengeRefused)
        let last = try await client.call(Keychain.Log()).records.last { $0.event == "read" }
        #expect(last?.outcome == String(repeating: "x", count: 32))
        try await expectRead(broker, client)
        await broker.stop()
    }

    @Test("a vault is made with a key that is a point, and a conversation that brought another is over")
    func provision() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        let good = Data(broker.authenticator.key.publicKey).base64EncodedString()
        for key in ["!", Self.text(65), Data(broker.authenticator.key.publicKey.dropLast()).base64EncodedString()] {
            let id = try await challenge { try await client.call(Keychain.Unlock()) }
            let line = try await broker.authenticator.described(id)
            func provision(_ key: String) async throws -> Fault {
                try await fault {
                    _ = try await line.call(
                        BrokerInterface.Provision<RegistryRecord>(challenge: id, authenticatorKey: key))
                    return true
                }
            }
            #expect(try await provision(key).name == .brokerInvalidArgument, "\(key)")
            #expect(try await provision(good).name == .brokerChallengeRefused, "\(key)")
            await line.close()
        }
        try await broker.makeVault(client)
        #expect(try await client.call(Keychain.Status()).vault.state == .unlocked)
        await broker.stop()
    }

    @Test("keys are renewed for a key that is a point, with a salt of its length, and after the person's signature")
    func renew() async throws {
        let (broker, client) = try await prepared()
        let good = Data(broker.authenticator.key.publicKey).base64EncodedString()
        let owner = Owner.user(OwnProcess.effectiveUser)
        typealias Renew = BrokerInterface.Renew
        let wrong: [(String) -> Renew] = [
            { Renew(challenge: $0, authenticatorKey: Self.text(65)) },
            { Renew(challenge: $0, authenticatorKey: good, pin: Self.text(31), salt: Self.text(16)) },
            { Renew(challenge: $0, authenticatorKey: good, pin: Self.text(32), salt: Self.text(15)) },
            { Renew(challenge: $0, authenticatorKey: good, pin: Self.text(32)) },
        ]
        for (number, wrong) in wrong.enumerated() {
            let id = try await challenge { try await client.call(Keychain.RotateAll()) }
            let line = try broker.authenticator.connect()
            let facts = try await line.call(
                TestAuthenticator.describe(id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
            let early = try await fault { try await line.call(Renew(challenge: id, authenticatorKey: good)) }
            #expect(early.name == .brokerChallengeRefused, "\(number)")
            try await broker.authenticator.sign(id, 0, facts.authorizations[0], owner: owner, line)
            let refused = try await fault { try await line.call(wrong(id)) }
            #expect(refused.name == .brokerInvalidArgument, "\(number)")
            let later = try await fault { try await line.call(Renew(challenge: id, authenticatorKey: good)) }
            #expect(later.name == .brokerChallengeRefused, "\(number)")
            let last = try await client.call(Keychain.Log()).records.last
            #expect(last?.event == "rotate" && last?.outcome == "invalid-argument", "\(number)")
            await line.close()
        }
        try await expectRead(broker, client)
        await broker.stop()
    }

    @Test("a signature of another length for a successor's keys ends the conversation, and the next one finishes")
    func succession() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        var folder = SharedFolder()
        try await desk.found()
        try await desk.add(laptop)
        for _ in 0..<2 { for peer in [desk, laptop] { try await peer.sync(&folder) } }
        for signature in ["!", Self.text(63), Self.text(65)] {
            let id = try await challenge { try await laptop.client.call(Keychain.RotateAll()) }
            let (line, isDone) = try await laptop.broker.authenticator.rotate(id, succession: .proofPrepared)
            #expect(!isDone)
            let refused = try await fault {
                try await line.call(BrokerInterface.CompleteSuccession(challenge: id, signature: signature))
            }
            #expect(refused.name == .brokerInvalidArgument, "\(signature.count)")
            let later = try await fault { try await line.call(BrokerInterface.Companions(challenge: id)) }
            #expect(later.name == .brokerChallengeRefused, "\(signature.count)")
            await line.close()
        }
        let id = try await challenge { try await laptop.client.call(Keychain.RotateAll()) }
        let (line, isDone) = try await laptop.broker.authenticator.rotate(id)
        #expect(isDone)
        await line.close()
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test("a key for fingers is made for a set of them, and for no other kind")
    func provideKey() async throws {
        let (broker, client) = try await prepared()
        let set = Keychain.Set(
            service: "s", account: "bound", value: someValue, access: .init(require: [.biometryCurrentSet]))
        let wrong: [(String, Int, Fault.Name)] = [
            ("biometry-any", 32, .brokerNotPermitted), ("biometry-current-set", 31, .brokerInvalidArgument),
            ("biometry-current-set", 33, .brokerInvalidArgument),
        ]
        for (kind, count, name) in wrong {
            let id = try await challenge { try await client.call(set) }
            let line = try await broker.authenticator.described(id)
            let refused = try await fault {
                try await line.call(
                    BrokerInterface.ProvideKey(challenge: id, kind: kind, setDigest: Self.text(count)))
            }
            #expect(refused.name == name, "\(kind) \(count)")
            let later = try await fault { try await line.call(BrokerInterface.Companions(challenge: id)) }
            #expect(later.name == .brokerChallengeRefused)
            await line.close()
        }
        await broker.stop()
    }

    @Test("the last of all numbers is no user whose login could be reported")
    func report() async throws {
        let broker = try await throwAwayBroker()
        let line = try broker.authenticator.connect()
        let refused = try await fault { try await line.call(BrokerInterface.Report(uid: Int64(UInt32.max))) }
        #expect(refused.name == .brokerInvalidArgument)
        #expect(try await line.call(BrokerInterface.Report(uid: Int64(UInt32.max) - 1)).challenge == nil)
        await broker.stop()
    }

    @Test("each call is logged once with its caller, and with its outcome if it failed")
    func logged() async throws {
        let (broker, client) = try await prepared()
        let show = Keychain.Show(service: "s", account: "missing")
        #expect(try await fault { try await client.call(show) }.name == .notFound)
        _ = try await client.call(Keychain.List())
        let id = try await challenge { try await client.call(Self.get) }
        let line = try await broker.authenticator.described(id)
        _ = try await fault { try await line.call(BrokerInterface.Renew(challenge: id, authenticatorKey: "x")) }
        await broker.stop()
        func lines(_ start: String, _ method: String) -> [String] {
            broker.log.all.filter { $0.hasPrefix("info \(start) ") && $0.contains("method=\(method)") }
        }
        let caller = "pid=\(OwnProcess.number) uid=\(OwnProcess.effectiveUser)"
        #expect(lines("call", "org.coffer.Keychain.List") == ["info call method=org.coffer.Keychain.List \(caller)"])
        #expect(
            lines("call", "org.coffer.Keychain.Show") == [
                "info call method=org.coffer.Keychain.Show outcome=org.coffer.Keychain.NotFound \(caller)"
            ])
        let start = "info authenticator's call method=org.coffer.Broker"
        let described = lines("authenticator's call", "org.coffer.Broker.Describe")
        #expect(described.last == "\(start).Describe \(caller)")
        #expect(
            lines("authenticator's call", "org.coffer.Broker.Renew") == [
                "\(start).Renew outcome=org.coffer.Broker.NotPermitted \(caller)"
            ])
        #expect(broker.log.all.contains { $0.hasPrefix("notice ready") })
        #expect(broker.log.all.contains { $0.hasPrefix("notice stopped") })
    }
}
