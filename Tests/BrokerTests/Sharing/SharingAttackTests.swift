import Broker
import BrokerProtocol
import Circle
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// Programs of the user (attacker 4), other processes (3) and a hostile store (10) that call the broker about a circle.
@Suite(.timeLimit(.minutes(30)))
struct SharingAttackTests {
    /// A machine with a circle, and one that asks to join it.
    private func pair() async throws -> (desk: CirclePeer, laptop: CirclePeer) {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.found()
        return (desk, laptop)
    }

    private func add(_ asked: Sync.Request.Reply, _ challenge: String? = nil) -> Sync.Add {
        Sync.Add(code: asked.code, request: asked.request.content, challenge: challenge)
    }

    /// The names of the faults of every method that needs an unlocked vault.
    private func faults(_ client: WireClient, _ asked: Sync.Request.Reply) async throws -> [Fault.Name] {
        [
            try await fault { try await client.call(Sync.Found(name: "m")) },
            try await fault { try await client.call(Sync.Request(name: "m")) },
            try await fault { try await client.call(Sync.Add(code: asked.code)) },
            try await fault { try await client.call(add(asked)) },
            try await fault { try await client.call(Sync.Enter(answer: "AAAA")) },
            try await fault { try await client.call(Sync.Remove(devices: [String(repeating: "ab", count: 16)])) },
            try await fault { try await client.call(Sync.Forget()) },
            try await fault { try await client.call(Sync.Conflicts()) },
            try await fault { try await client.call(Sync.Resolve(item: "", part: "label", take: "")) },
            try await fault { try await client.call(Sync.Look(heads: [], names: [])) },
            try await fault { try await client.call(Sync.Take(heads: [], segments: [])) },
            try await fault { try await client.call(Sync.Give(heads: [], names: [])) },
        ].map(\.name)
    }

    @Test func aLockedVaultSharesNothing() async throws {
        let (desk, laptop) = try await pair()
        let asked = try await laptop.request()
        let before = try await desk.state()
        let id = try await challenge { try await desk.client.call(add(asked)) }
        try await desk.agree(id)
        _ = try await desk.client.call(Keychain.Lock())
        // With which machines it shares is told by the device root's keys alone, as names are.
        #expect(try await desk.state() == before)
        #expect(Set(try await faults(desk.client, asked)) == [.locked])
        // Consent that was given before the lock is over.
        #expect(try await fault { try await desk.client.call(add(asked, id)) }.name == .locked)
        _ = try await desk.broker.call(desk.client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        #expect(try await fault { try await desk.client.call(add(asked, id)) }.name == .challengeRefused)
        #expect(try await desk.state().machines.count == 1)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// A courier that runs every few minutes would keep the vault open for ever.
    @Test func aCourierKeepsNoVaultOpen() async throws {
        let time = TestClock()
        var options = Broker.Options.patient
        options.clock = time.clock
        let desk = try await CirclePeer("desk", on: throwAwayBroker(options: options) { $0.idleLock = 10 })
        try await desk.found()
        var folder = SharedFolder()
        for _ in 0..<3 {
            time.advance(by: .seconds(199))
            try await desk.sync(&folder)
            _ = try await desk.state()
        }
        #expect(try await desk.client.call(Keychain.Status()).vault.state == .unlocked)
        time.advance(by: .seconds(4))
        #expect(try await desk.client.call(Keychain.Status()).vault.state == .locked)
        await desk.stop()
    }

    @Test func withoutACircleThereIsNothingToShare() async throws {
        let laptop = try await CirclePeer("laptop")
        let stranger = try await CirclePeer("stranger")
        let asked = try await stranger.request()
        #expect(try await fault { try await laptop.client.call(add(asked)) }.name == .notFound)
        #expect(try await fault { try await laptop.client.call(Sync.Enter(answer: "AAAA")) }.name == .notFound)
        #expect(try await fault { try await laptop.client.call(Sync.Look(heads: [], names: [])) }.name == .notFound)
        #expect(try await fault { try await laptop.client.call(Sync.Take(heads: [], segments: [])) }.name == .notFound)
        #expect(try await fault { try await laptop.client.call(Sync.Give(heads: [], names: [])) }.name == .notFound)
        #expect(try await laptop.state().circle == nil)
        for peer in [laptop, stranger] { await peer.stop() }
    }

    @Test func aVaultIsInOneCircle() async throws {
        let (desk, laptop) = try await pair()
        #expect(try await fault { try await desk.client.call(Sync.Found(name: "desk")) }.name == .alreadyExists)
        #expect(try await fault { try await desk.client.call(Sync.Request(name: "desk")) }.name == .alreadyExists)
        // Three questions at once, and the person agrees to all of them: the first is done.
        let answer = try #require(try await desk.add(laptop.request()).answer).content
        let first = try await challenge { try await laptop.client.call(Sync.Found(name: "laptop")) }
        let second = try await challenge { try await laptop.client.call(Sync.Found(name: "laptop")) }
        let third = try await challenge { try await laptop.client.call(Sync.Enter(answer: answer)) }
        for id in [first, second, third] { try await laptop.agree(id) }
        let circle = try await laptop.client.call(Sync.Found(name: "laptop", challenge: first)).circle
        let again = Sync.Found(name: "laptop", challenge: second)
        #expect(try await fault { try await laptop.client.call(again) }.name == .alreadyExists)
        for entering in [Sync.Enter(answer: answer, challenge: third), Sync.Enter(answer: answer)] {
            #expect(try await fault { try await laptop.client.call(entering) }.name == .alreadyExists)
        }
        let state = try await laptop.state()
        #expect(state.circle == circle && !state.requested)
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test func aChallengeIsOfOneProcess() async throws {
        let (desk, laptop) = try await pair()
        let asked = try await laptop.request()
        let id = try await challenge { try await desk.client.call(add(asked)) }
        try await desk.agree(id)
        let other = try await OtherProcess(socket: desk.broker.configuration.socket)
        let answer = try await other.say(
            #"{"method":"org.coffer.Sync.Add","parameters":{"code":"\#(asked.code)","request":"\#(asked.request.content)","challenge":"\#(id)"}}"#
        )
        #expect(answer.contains("ChallengeRefused"), "\(answer)")
        #expect(try await desk.state().machines.count == 1)
        // It is not spoilt, and good for one call.
        #expect(try await desk.client.call(add(asked, id)).name == "laptop")
        #expect(try await fault { try await desk.client.call(add(asked, id)) }.name == .challengeRefused)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// Consent to one thing is consent to nothing else.
    @Test func aChallengeIsOfOnePurpose() async throws {
        let (desk, laptop) = try await pair()
        let asked = try await laptop.request()
        func granted(_ id: String) async throws -> String {
            try await desk.agree(id)
            return id
        }
        let recovery = try await challenge { try await desk.client.call(Keychain.NewRecoveryCode()) }
        try await desk.broker.authenticator.grant(recovery)
        #expect(try await fault { try await desk.client.call(add(asked, recovery)) }.name == .challengeRefused)
        let adding = try await granted(challenge { try await desk.client.call(add(asked)) })
        let code = Keychain.NewRecoveryCode(challenge: adding)
        #expect(try await fault { try await desk.client.call(code) }.name == .challengeRefused)
        let founding = try await granted(challenge { try await desk.client.call(add(asked)) })
        let found = Sync.Found(name: "desk", challenge: founding)
        #expect(try await fault { try await desk.client.call(found) }.name == .challengeRefused)
        #expect(try await desk.state().machines.count == 1)
        // And at the other machine: consent to begin a circle enters none, and the other way round.
        let answer = try #require(try await desk.add(asked).answer).content
        let begin = try await challenge { try await laptop.client.call(Sync.Found(name: "laptop")) }
        try await laptop.agree(begin)
        let entering = Sync.Enter(answer: answer, challenge: begin)
        #expect(try await fault { try await laptop.client.call(entering) }.name == .challengeRefused)
        let enter = try await challenge { try await laptop.client.call(Sync.Enter(answer: answer)) }
        try await laptop.agree(enter)
        let beginning = Sync.Found(name: "laptop", challenge: enter)
        #expect(try await fault { try await laptop.client.call(beginning) }.name == .challengeRefused)
        #expect(try await laptop.state().circle == nil)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// The person agreed to the laptop. A program then names another machine, whose code it knows.
    @Test func consentIsToOneMachine() async throws {
        let (desk, laptop) = try await pair()
        let stranger = try await CirclePeer("stranger")
        let (asked, wanted) = (try await laptop.request(), try await stranger.request())
        let id = try await challenge { try await desk.client.call(add(asked)) }
        try await desk.agree(id)
        #expect(try await fault { try await desk.client.call(add(wanted, id)) }.name == .challengeRefused)
        #expect(try await desk.state().machines.count == 1)
        for peer in [desk, laptop, stranger] { await peer.stop() }
    }

    /// The keys of a machine are no secret. Malware of the user puts a one-time key of its own beside them, and would get
    /// the circle's keys without that a person is asked. With them and the store, it reads everything, also later.
    @Test func anAnswerIsToTheRequestThatThePersonAgreedTo() async throws {
        let (desk, laptop) = try await pair()
        let asked = try await laptop.request()
        try await desk.add(asked)
        let code = try JoinCode(reading: SecretBytes(copying: Array(asked.code.utf8)))
        let bytes = try AESGCM.open(
            #require(Base64.decode(asked.request.content)), key: code.requestKey, associatedData: code.place.bytes)
        let honest = try JoinRequest(decoding: bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } })
        let forged = try JoinRequest(
            keys: honest.keys, oneTimeKey: X25519.PrivateKey.generate().publicKey, protection: honest.protection,
            name: honest.name, time: honest.time)
        let other = try JoinCode(of: forged)
        let sealed = try AESGCM.seal(
            SecretBytes(copying: forged.bytes), key: other.requestKey, associatedData: other.place.bytes)
        let text = try other.text.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        let call = Sync.Add(code: text, request: Base64.encode(sealed))
        let refusal = try await fault { try await desk.client.call(call) }
        #expect(refusal.name == .invalidArgument && refusal.details.challenge == nil, "\(refusal)")
        // The one that the person agreed to is answered as often as it is asked, also by the next broker.
        await desk.stop()
        let later = try await CirclePeer(
            "desk", on: throwAwayBroker(folder: desk.broker.folder, authenticator: desk.broker.authenticator))
        #expect(try await fault { try await later.client.call(call) }.name == .invalidArgument)
        let again = try await later.client.call(add(asked))
        try await laptop.enter(try #require(again.answer).content)
        for peer in [later, laptop] { await peer.stop() }
    }

    /// T3: the new machine is led into another circle than the one that its person agreed to.
    @Test func consentIsToOneAnswer() async throws {
        let (desk, laptop) = try await pair()
        let attacker = try await CirclePeer("attacker")
        try await attacker.found()
        let asked = try await laptop.request()
        let (good, bad) = (try await desk.add(asked), try await attacker.add(asked))
        #expect(good.words != bad.words)
        let answers = (good: try #require(good.answer).content, bad: try #require(bad.answer).content)
        let id = try await challenge { try await laptop.client.call(Sync.Enter(answer: answers.good)) }
        try await laptop.agree(id)
        let led = Sync.Enter(answer: answers.bad, challenge: id)
        #expect(try await fault { try await laptop.client.call(led) }.name == .challengeRefused)
        #expect(try await laptop.state().circle == nil)
        #expect(try await laptop.enter(answers.good).words == good.words)
        for peer in [desk, laptop, attacker] { await peer.stop() }
    }

    @Test func aRequestOpensWithItsCodeOnly() async throws {
        let (desk, laptop) = try await pair()
        let stranger = try await CirclePeer("stranger")
        let (asked, other) = (try await laptop.request(), try await stranger.request())
        var bytes = try #require(Base64.decode(asked.request.content))
        bytes[bytes.count / 2] ^= 1
        for content in [
            other.request.content, Base64.encode(bytes), Base64.encode(Array(bytes.dropLast())), "", "AAAA", "!",
            asked.request.content + "\n", Base64.encode([UInt8](repeating: 0, count: 500_000)),
        ] {
            let call = Sync.Add(code: asked.code, request: content)
            let refusal = try await fault { try await desk.client.call(call) }
            #expect(refusal.name == .invalidArgument && refusal.details.challenge == nil)
        }
        let long = String(repeating: "-", count: 129)
        var mistyped = Array(asked.code)
        mistyped[8] = mistyped[8] == "7" ? "8" : "7"
        for code in ["", "JOIN", String(mistyped), String(asked.code.dropFirst(5)), asked.code + long, "\u{0}"] {
            let call = Sync.Add(code: code, request: asked.request.content)
            #expect(try await fault { try await desk.client.call(call) }.name == .invalidArgument, "\(code)")
            #expect(try await fault { try await desk.client.call(Sync.Add(code: code)) }.name == .invalidArgument)
        }
        #expect(try await desk.state().machines.count == 1)
        for peer in [desk, laptop, stranger] { await peer.stop() }
    }

    @Test func anAnswerIsToTheOwnRequestOnly() async throws {
        let (desk, laptop) = try await pair()
        let stranger = try await CirclePeer("stranger")
        let others = try #require(try await desk.add(stranger.request()).answer).content
        let answer = try #require(try await desk.add(laptop.request()).answer).content
        var bytes = try #require(Base64.decode(answer))
        bytes[bytes.count / 2] ^= 1
        for content in [
            others, Base64.encode(bytes), Base64.encode(Array(bytes.dropLast())), "", "AAAA", "!", answer + "\n",
            Base64.encode([UInt8](repeating: 0, count: 500_000)),
        ] {
            let refusal = try await fault { try await laptop.client.call(Sync.Enter(answer: content)) }
            #expect(refusal.name == .invalidArgument && refusal.details.challenge == nil)
        }
        #expect(try await laptop.state().circle == nil)
        for peer in [desk, laptop, stranger] { await peer.stop() }
    }

    @Test(arguments: ["", "-desk", "a b", "desk\n", "dešk", String(repeating: "d", count: 65)])
    func onlyANameIsAName(name: String) async throws {
        let laptop = try await CirclePeer("laptop")
        for method in [Sync.Found(name: name), Sync.Found(name: name, challenge: "c")] {
            #expect(try await fault { try await laptop.client.call(method) }.name == .invalidArgument)
        }
        #expect(try await fault { try await laptop.client.call(Sync.Request(name: name)) }.name == .invalidArgument)
        #expect(try await laptop.state().requested == false)
        await laptop.stop()
    }

    /// What no member has signed is left out, and how much there may be is bounded.
    @Test func aStoreMakesNothing() async throws {
        let (desk, laptop) = try await pair()
        try await desk.add(laptop)
        var folder = SharedFolder()
        try await desk.set("a")
        try await desk.sync(&folder)
        let before = try await laptop.state()
        let noise = (0..<40).map { Base64.encode([UInt8](repeating: UInt8($0), count: $0 * 97)) }
        let cut = (folder.heads + folder.segments.compactMap { folder.files[$0] }).compactMap { text in
            Base64.decode(text).map { Base64.encode(Array($0.dropLast())) }
        }
        let taken = try await laptop.client.call(Sync.Take(heads: noise + cut, segments: noise + cut))
        #expect(taken.added == 0 && taken.updated == 0 && taken.deleted == 0)
        #expect(try await laptop.state().digest == before.digest)
        for call in [Sync.Take(heads: ["!"], segments: []), Sync.Take(heads: [], segments: ["AAA"])] {
            #expect(try await fault { try await laptop.client.call(call) }.name == .invalidArgument)
        }
        let many = [String](repeating: "", count: 2049)
        #expect(
            try await fault { try await laptop.client.call(Sync.Take(heads: many, segments: [])) }.name
                == .limitExceeded)
        #expect(
            try await fault { try await laptop.client.call(Sync.Take(heads: [], segments: many)) }.name
                == .limitExceeded)
        #expect(
            try await fault { try await laptop.client.call(Sync.Look(heads: many, names: [])) }.name == .limitExceeded)
        #expect(
            try await fault { try await laptop.client.call(Sync.Give(heads: many, names: [])) }.name == .limitExceeded)
        // The other machine's own files still count afterwards.
        #expect(try await laptop.sync(&folder).added == 1)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// A listing names what others put there. Only what has the form of a member's file is ever asked for.
    @Test func strangeNamesAreLeftOut() async throws {
        let (desk, laptop) = try await pair()
        try await desk.add(laptop)
        var folder = SharedFolder()
        try await desk.set("a")
        try await desk.sync(&folder)
        let good = folder.segments
        #expect(!good.isEmpty)
        var strange = ["", "..", "../../etc/passwd", String(repeating: "a", count: 10_000), "\u{1b}[2J"]
        for name in good {
            strange += ["../" + name, name + "/", name.uppercased(), name + ".sync-conflict", "/" + name]
            strange += [name + "\u{0}", name.replacing("/", with: "//"), String(name.dropLast())]
        }
        let wanted = try await laptop.client.call(Sync.Look(heads: folder.heads, names: strange + good)).wanted
        #expect(Set(wanted) == Set(good))
        let given = try await desk.client.call(Sync.Give(heads: folder.heads, names: strange))
        #expect(Set(given.files.map(\.path)) == Set(good))
        // Segments of another circle are none of this one's.
        let other = try await CirclePeer("other")
        try await other.found()
        var foreign = SharedFolder()
        try await other.set("b")
        try await other.sync(&foreign)
        #expect(try await laptop.client.call(Sync.Look(heads: foreign.heads, names: foreign.segments)).wanted == [])
        #expect(try await laptop.take(foreign).added == 0)
        for peer in [desk, laptop, other] { await peer.stop() }
    }

    @Test func whoWasRefusedIsLogged() async throws {
        let (desk, laptop) = try await pair()
        let asked = try await laptop.request()
        let id = try await challenge { try await desk.client.call(add(asked)) }
        let line = try desk.broker.authenticator.connect()
        _ = try await line.call(
            TestAuthenticator.describe(id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        _ = try await line.call(BrokerInterface.Refuse(challenge: id, reason: "password"))
        let refused = try #require(try await desk.shares().last)
        #expect(refused.outcome == "password", "\(refused)")
        #expect(try await fault { try await desk.client.call(add(asked, id)) }.name == .challengeRefused)
        #expect(try await desk.state().machines.count == 1)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// An authenticator that took no signature cannot say yes to a statement.
    @Test func aStatementTakesItsSignature() async throws {
        let (desk, laptop) = try await pair()
        let asked = try await laptop.request()
        let id = try await challenge { try await desk.client.call(add(asked)) }
        let line = try desk.broker.authenticator.connect()
        _ = try await line.call(
            TestAuthenticator.describe(id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        let yes = BrokerInterface.ConfirmAcceptance(challenge: id)
        #expect(try await fault { try await line.call(yes) }.name == .brokerNotPermitted)
        let forged = try await challenge { try await desk.client.call(add(asked)) }
        _ = try await line.call(
            TestAuthenticator.describe(forged, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        _ = try await line.call(BrokerInterface.Prepare(challenge: forged, authorization: 0))
        let wrong = BrokerInterface.Complete(
            challenge: forged, authorization: 0, signature: Base64.encode([UInt8](repeating: 1, count: 64)))
        _ = try await fault { try await line.call(wrong) }
        for challenge in [id, forged] {
            #expect(try await fault { try await desk.client.call(add(asked, challenge)) }.name == .challengeRefused)
        }
        #expect(try await desk.state().machines.count == 1)
        for peer in [desk, laptop] { await peer.stop() }
    }
}

/// Vaults that are not one person's own.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"), .serialized)
struct SharingOwnerTests {
    private static let calls = [
        ("Found", #""name":"m""#), ("Request", #""name":"m""#),
        ("Add", #""code":"JOIN-00000-00000-00000-00000-00000-00000""#), ("Enter", #""answer":"AAAA""#),
        ("Look", #""heads":[],"names":[]"#), ("Take", #""heads":[],"segments":[]"#),
        ("Give", #""heads":[],"names":[]"#), ("State", ""), ("Conflicts", ""),
        ("Resolve", #""item":"","part":"label","take":"""#),
    ]

    @Test("no member of a group shares its vault with a machine") func group() async throws {
        let accounts = try ThrowAwayAccounts(1)
        let broker = try await throwAwayBroker()
        try accounts.join(0)
        let ada = try await OtherUser(broker, accounts.uids[0])
        let inGroup = #""group":"\#(accounts.group)""#
        #expect(try await ada.pass("Unlock").contains("unlocked"))
        #expect(try await ada.pass("Unlock", inGroup).contains("unlocked"))
        for (method, parameters) in Self.calls {
            let words = parameters.isEmpty ? inGroup : parameters + "," + inGroup
            let answer = try await ada.process.say(
                #"{"method":"org.coffer.Sync.\#(method)","parameters":{\#(words)}}"#)
            #expect(answer.contains("org.coffer.Keychain.NotPermitted"), "\(method): \(answer)")
        }
        await broker.stop()
    }
}
