import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import Testing
import Varlink

@Suite("A taken-over broker gets no signature that the person did not give")
struct HostileBrokerTests {
    /// Changes to honest facts. Each is a lie that must end the conversation before the person is asked anything.
    static let lies: [(String, @Sendable (inout BrokerInterface.Describe.Reply) -> Void)] = [
        ("another user's challenge", { $0.owner = "user:4242" }),
        ("a group's challenge", { $0.owner = "group:0" }),
        ("another vault", { $0.vault = String(repeating: "ab", count: 16) }),
        ("no vault where there is one", { $0.vault = nil }),
        (
            "making a vault anew",
            {
                $0.vault = nil
                $0.purposes = [.create]
                $0.authorizations = []
                $0.alternatives = [[]]
            }
        ),
        ("a signature that no alternative has", { $0.authorizations.append(.init(kind: "passcode")) }),
        (
            "more signatures than shown",
            {
                $0.authorizations.append(.init(kind: "unlock"))
                $0.alternatives = [[0, 1]]
            }
        ),
        (
            "an alternative with more signatures than shown",
            {
                $0.authorizations.append(.init(kind: "unlock"))
                $0.alternatives = [[0], [0, 1]]
            }
        ),
        (
            "an alternative that unlocks only, for a read",
            {
                $0.purposes = [.unlock, .read]
                $0.authorizations.append(.init(kind: "unlock"))
                $0.alternatives = [[0, 1], [1]]
            }
        ),
        (
            "an alternative that reads only, for an unlock",
            {
                $0.purposes = [.unlock, .read]
                $0.authorizations.append(.init(kind: "unlock"))
                $0.alternatives = [[0, 1], [0]]
            }
        ),
        ("an alternative without a signature", { $0.alternatives = [[0], []] }),
        ("no alternative", { $0.alternatives = [] }),
        ("a signature that is not there", { $0.alternatives = [[1]] }),
        ("a signature before the first", { $0.alternatives = [[0], [-1]] }),
        ("one signature counted twice", { $0.alternatives = [[0, 0]] }),
        ("another signature than shown", { $0.purposes = [.unlock] }),
        ("the same signature twice", { $0.authorizations.append(.init(kind: "presence")) }),
        ("a signature for recovery", { $0.authorizations = [.init(kind: "recovery")] }),
        (
            "a recovery code's making on the side",
            {
                $0.purposes = [.recovery, .read]
                $0.authorizations.append(.init(kind: "recovery"))
                $0.alternatives = [[0, 1]]
            }
        ),
        (
            "recovery's purpose with another signature",
            { $0.purposes = [.recovery] }
        ),
        (
            "recovery's purpose with one signature more",
            {
                $0.purposes = [.recovery]
                $0.authorizations = [.init(kind: "recovery"), .init(kind: "unlock")]
                $0.alternatives = [[0, 1]]
            }
        ),
        ("an unknown kind", { $0.authorizations = [.init(kind: "root")] }),
        ("a set digest", { $0.authorizations = [.init(kind: "presence", setDigest: "AAAA")] }),
        ("no purpose", { $0.purposes = [] }),
        ("no item", { $0.service = nil }),
        (
            "more items than a prompt names",
            { facts in
                facts.service = nil
                facts.account = nil
                facts.items = (0..<33).map { .init(service: "s", account: "\($0)") }
            }
        ),
    ]

    @Test(arguments: lies.indices)
    func aLieEndsTheConversation(index: Int) throws {
        let fixture = try Fixture()
        fixture.broker.change { Self.lies[index].1(&$0.facts) }
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationChallengeRefused, "\(Self.lies[index].0)")
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    /// A locker's module answers by itself, and the person sees no text. The broker told it that the challenge unlocks.
    @Test(arguments: [[.read], [.read, .unlock], [.recovery]] as [[Keychain.Purpose]])
    func aProgramThatAnswersByItselfAnswersForNothingElse(purposes: [Keychain.Purpose]) throws {
        let kinds: [Keychain.Purpose: String] = [.read: "presence", .unlock: "unlock", .recovery: "recovery"]
        let fixture = try Fixture()
        fixture.ask(for: purposes, purposes.compactMap { kinds[$0] })
        var module = try fixture.client()
        #expect(try module.begin(purposes: ["unlock"]).name == .authenticationInvalidArgument)
        #expect(!fixture.broker.calls.contains("Prepare"))
        // Who reads the text may answer it.
        var client = try fixture.client()
        #expect(try client.begin().message != nil)
    }

    @Test func aProgramThatAnswersByItselfUnlocks() throws {
        let fixture = try Fixture()
        fixture.ask(for: [.unlock], ["unlock"])
        var module = try fixture.client()
        #expect(try module.begin(purposes: ["unlock"]).message != nil)
    }

    @Test(arguments: [(31, 32), (33, 32), (0, 32), (32, 31), (32, 33), (32, 0), (64, 0), (20, 44)])
    func onlyATPMSessionIsSignedFor(nonce: Int, hash: Int) throws {
        let fixture = try Fixture()
        fixture.broker.change {
            $0.nonce = [UInt8](repeating: 1, count: nonce)
            $0.parameterHash = [UInt8](repeating: 2, count: hash)
        }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .brokerUnavailable)
        #expect(fixture.broker.completions.isEmpty)
    }

    @Test func aBrokerOfAnotherUserIsNotSpokenTo() throws {
        let fixture = try Fixture(.init(brokerUser: geteuid() == 0 ? "daemon" : "root"))
        var client = try fixture.client()
        #expect(try client.begin().name == .brokerUnavailable)
        #expect(fixture.broker.calls.isEmpty)
    }

    @Test func aRecordForAnotherKeyIsDamage() throws {
        let other = try P256.PrivateKey.generate().publicKey
        let fixture = try Fixture(
            .init(changeRecord: { record in
                RegistryRecord(
                    vault: record.vault, owner: record.owner, ownerName: record.ownerName, created: record.created,
                    sealer: record.sealer, authenticatorKey: other, storageKey: nil, objects: record.objects)
            }))
        var client = try fixture.client()
        let fault = try client.begin().fault
        #expect(fault?.name == .notCompleted)
        #expect(fault?.details.kind == "damaged")
    }

    @Test func aNumberThatChangedHandsIsDenied() throws {
        let fixture = try Fixture(
            .init(changeRecord: { record in
                RegistryRecord(
                    vault: record.vault, owner: record.owner, ownerName: "somebody-before", created: record.created,
                    sealer: record.sealer, authenticatorKey: record.authenticatorKey, storageKey: nil,
                    objects: record.objects)
            }))
        var client = try fixture.client()
        let fault = try client.begin().fault
        #expect(fault?.name == .authenticationFailed)
        #expect(fault?.details.reason == "denied")
    }

    @Test(arguments: ["{\"parameters\":{}}", "[]", "{", "", "{\"error\":7}", "\u{fffd}"])
    func garbageIsNoAnswer(text: String) throws {
        let fixture = try Fixture()
        fixture.broker.change { $0.raw["Describe"] = Array(text.utf8) + [0] }
        var client = try fixture.client()
        #expect(try client.begin().name == .brokerUnavailable)
    }

    @Test func anEndlessAnswerIsCutOff() throws {
        let fixture = try Fixture()
        fixture.broker.change { $0.raw["Describe"] = [UInt8](repeating: 0x20, count: 900_000) }
        var client = try fixture.client()
        #expect(try client.begin().name == .brokerUnavailable)
    }

    @Test func aSilentBrokerIsGivenUpOn() throws {
        let fixture = try Fixture()
        fixture.broker.change { $0.silent = ["Describe"] }
        var client = try fixture.client()
        #expect(try client.begin().name == .brokerUnavailable)
    }

    @Test func anUnknownChallengeIsRefused() throws {
        let fixture = try Fixture()
        let bytes = Varlink.encode(
            Fault(.brokerChallengeRefused, "unknown\u{1b}[31m", advice: "run\u{1b}[2K: sudo", cause: "tpm\u{1b}"))
        fixture.broker.change { $0.raw["Describe"] = bytes }
        var client = try fixture.client()
        let fault = try client.begin().fault
        #expect(fault?.name == .authenticationChallengeRefused)
        #expect(fault?.details.message == "unknown\\u{1b}[31m")
        #expect(fault?.details.advice == "run\\u{1b}[2K: sudo")
        #expect(fault?.details.cause == "tpm\\u{1b}")
    }
}
