import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// All keys of a vault in a circle are renewed: what the real authenticator signs for the other machines, and what a
/// taken-over broker does not get that way (attacker 13).
@Suite(.timeLimit(.minutes(30))) struct SuccessionConversationTests {
    /// A vault in a circle, its successor, and what an honest broker has signed.
    private struct Renewal {
        let fixture: Fixture
        let next: RegistryRecord
        let sample: CircleSample
        let key: P256.PrivateKey
        let keys: MemberKeys
        let statement: Statement

        init() throws {
            fixture = try Fixture()
            let record = fixture.record
            next = try Fixture.guarded(
                RegistryRecord(
                    vault: try VaultID.random(), owner: record.owner, ownerName: record.ownerName,
                    created: record.created, sealer: record.sealer, authenticatorKey: record.authenticatorKey,
                    storageKey: nil,
                    objects: record.objects.mapValues { $0.prefix(2) + $0.dropFirst(2).map { $0 ^ 0x80 } }))
            sample = try CircleSample()
            key = try P256.PrivateKey.generate()
            keys = try Self.keys(key)
            statement = try Self.statement(keys, key, sample)
            let next = next
            let replies = [try reply(nil), try reply(statement)]
            let circle = sample.circle
            fixture.broker.change { script in
                script.facts.purposes = [.rotate]
                (script.facts.service, script.facts.account) = (nil, nil)
                script.facts.items = []
                script.facts.authorizations = [.init(kind: "unlock")]
                script.facts.alternatives = [[0]]
                script.facts.circle = Hex.encode(circle.bytes)
                script.facts.machines = ["desk", "spare"]
                script.adopted = []
                script.successor = next
                script.succession = replies
            }
        }

        static func keys(_ key: P256.PrivateKey) throws -> MemberKeys {
            try CircleSample.keys(7, membership: key.publicKey)
        }

        static func statement(
            _ keys: MemberKeys, _ key: P256.PrivateKey, _ sample: CircleSample, circle: StatementName? = nil
        ) throws -> Statement {
            let circle = circle ?? sample.circle
            let proof = SignedStatement.lower(
                try key.signature(
                    for: Statement.proofBytes(circle: circle, signer: sample.founder.device, keys: keys)))
            return try Statement(
                circle: circle, signer: sample.founder.device, past: [sample.circle],
                .succession(keys, proof: proof))
        }

        /// What the broker asks for.
        ///
        /// - Parameters:
        ///   - statement: nil for the proof.
        ///   - circle: which the proof is for; nil for the one that the person is shown.
        ///   - hash: nil for the right one.
        func reply(
            _ statement: Statement?, record: RegistryRecord? = nil, circle: StatementName? = nil,
            signer: MemberKeys? = nil, keys: MemberKeys? = nil, hash: [UInt8]? = nil
        ) throws -> BrokerInterface.PrepareSuccession<RegistryRecord>.Reply {
            let (record, circle, keys) = (record ?? next, circle ?? sample.circle, keys ?? self.keys)
            let signer = signer ?? sample.founder
            let right: [UInt8]
            if let statement {
                right = try StatementSigning(record: fixture.record, membershipPoint: signer.membership)
                    .parameterHash(ofDigest: SHA256.digest(statement.bytes))
            } else {
                let bytes = Statement.proofBytes(circle: circle, signer: signer.device, keys: keys)
                right = try StatementSigning(record: record, membershipPoint: keys.membership)
                    .parameterHash(ofDigest: SHA256.digest(bytes))
            }
            return BrokerInterface.PrepareSuccession<RegistryRecord>.Reply(
                record: record,
                signing: BrokerInterface.SuccessionSigning(
                    signer: Base64.encode(signer.bytes), keys: Base64.encode(keys.bytes),
                    statement: statement.map { Base64.encode($0.bytes) },
                    nonce: Base64.encode([UInt8](repeating: 0x11, count: 32)),
                    parameterHash: Base64.encode(hash ?? right)))
        }
    }

    @Test func thePersonIsShownTheMachinesAndBothSignaturesAreForTheirOwn() throws {
        let renewal = try Renewal()
        var client = try renewal.fixture.client()
        let notice = (try client.begin().message?.text ?? "").unbroken
        #expect(notice.contains("Your other machines are told the new keys: \"desk\", \"spare\"."), "\(notice)")
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
        #expect(
            renewal.fixture.broker.calls == [
                "Describe", "Prepare", "Complete", "Renew", "PrepareSuccession", "CompleteSuccession",
                "PrepareSuccession", "CompleteSuccession", "Succeed", "Prepare", "Complete", "AdoptSuccessor",
            ])
        #expect(try renewal.fixture.registry.record(for: renewal.fixture.record.owner) == renewal.next)
        let asked = try [renewal.reply(nil), renewal.reply(renewal.statement)].compactMap(\.signing)
        for (call, (record, asked)) in zip(
            renewal.fixture.broker.successions, zip([renewal.next, renewal.fixture.record], asked))
        {
            let hash = try #require(Base64.decode(asked.parameterHash))
            let request = try #require(
                SigningRequest(
                    nonce: [UInt8](repeating: 0x11, count: 32),
                    parameterHash: hash,
                    reference: record.policyReference(for: .circle)))
            let signature = try #require(Base64.decode(call.signature))
            #expect(
                try P256.isValid(
                    signature: signature, for: request.message(), publicKey: renewal.fixture.key.publicKey))
        }
    }

    /// What an earlier conversation has had signed is not signed again.
    @Test func whatIsSignedAlreadyIsNotSignedAgain() throws {
        let renewal = try Renewal()
        renewal.fixture.broker.change { $0.succession.removeFirst() }
        var client = try renewal.fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(renewal.fixture.broker.successions.count == 1)
        let other = try Renewal()
        other.fixture.broker.change { $0.succession = [] }
        var second = try other.fixture.client()
        #expect(try second.authenticate(Fixture.password).isDone)
        #expect(other.fixture.broker.successions.isEmpty)
    }

    @Test func aWrongPasswordTellsNobody() throws {
        let renewal = try Renewal()
        var client = try renewal.fixture.client()
        #expect(try client.authenticate("wrong").name == .authenticationFailed)
        #expect(renewal.fixture.broker.calls == ["Describe", "Refuse"])
    }

    /// The broker asks for a signature over something else than the person has agreed to.
    private static let lies:
        [(String, @Sendable (Renewal) throws -> [BrokerInterface.PrepareSuccession<RegistryRecord>.Reply])] =
            [
                ("another parameter hash", { [try $0.reply(nil, hash: [UInt8](repeating: 0x22, count: 32))] }),
                (
                    "the hash of a statement in place of the proof's",
                    { renewal in
                        let hash = try StatementSigning(
                            record: renewal.next, membershipPoint: renewal.keys.membership
                        ).parameterHash(ofDigest: SHA256.digest(renewal.statement.bytes))
                        return [try renewal.reply(nil, hash: hash)]
                    }
                ),
                (
                    "another circle",
                    { renewal in [try renewal.reply(nil, circle: CircleSample().circle)] }
                ),
                (
                    "a statement for another circle",
                    { renewal in
                        let other = try CircleSample().circle
                        let statement = try Renewal.statement(
                            renewal.keys, renewal.key, renewal.sample, circle: other)
                        return [try renewal.reply(nil), try renewal.reply(statement)]
                    }
                ),
                (
                    "another circle's statement with this circle's proof",
                    { renewal in
                        guard case .succession(_, let proof) = renewal.statement.content else { return [] }
                        let statement = try Statement(
                            circle: CircleSample().circle, signer: renewal.sample.founder.device,
                            past: [renewal.sample.circle], .succession(renewal.keys, proof: proof))
                        return [try renewal.reply(nil), try renewal.reply(statement)]
                    }
                ),
                (
                    "a removal",
                    { renewal in
                        let removal = try Statement(
                            circle: renewal.sample.circle, signer: renewal.sample.founder.device,
                            past: [renewal.sample.circle], .removal([renewal.sample.request.keys.device]))
                        return [try renewal.reply(nil), try renewal.reply(removal)]
                    }
                ),
                (
                    "an addition",
                    { renewal in
                        let addition = try CircleSample.addition(
                            of: renewal.keys, by: renewal.sample.founder, to: renewal.sample.circle)
                        return [try renewal.reply(nil), try renewal.reply(addition)]
                    }
                ),
                (
                    "other keys in the statement",
                    { renewal in
                        let key = try P256.PrivateKey.generate()
                        let keys = try Renewal.keys(key)
                        return [
                            try renewal.reply(nil),
                            try renewal.reply(Renewal.statement(keys, key, renewal.sample)),
                        ]
                    }
                ),
                (
                    "a proof by nobody",
                    { renewal in
                        let statement = try Statement(
                            circle: renewal.sample.circle, signer: renewal.sample.founder.device,
                            past: [renewal.sample.circle],
                            .succession(renewal.keys, proof: [UInt8](repeating: 1, count: 64)))
                        return [try renewal.reply(nil), try renewal.reply(statement)]
                    }
                ),
                (
                    "another machine's statement",
                    { renewal in
                        [
                            try renewal.reply(nil),
                            try renewal.reply(renewal.statement, signer: renewal.sample.request.keys),
                        ]
                    }
                ),
                (
                    "constraint keys that are not the successor's",
                    { renewal in
                        let points = [UInt8](repeating: 9, count: 3 * P256.pointCount)
                        let keys = try CircleSample.keys(7, membership: renewal.key.publicKey, points: points)
                        return [try renewal.reply(nil, keys: keys)]
                    }
                ),
                (
                    "another successor for the statement than for the proof",
                    { renewal in
                        let next = renewal.next
                        let other = try Fixture.guarded(
                            RegistryRecord(
                                vault: try VaultID.random(), owner: next.owner, ownerName: next.ownerName,
                                created: next.created, sealer: next.sealer, authenticatorKey: next.authenticatorKey,
                                storageKey: nil, objects: next.objects))
                        return [try renewal.reply(nil), try renewal.reply(renewal.statement, record: other)]
                    }
                ),
                (
                    "a successor that is not one",
                    { [try $0.reply(nil, record: $0.fixture.record)] }
                ),
            ]

    @Test(arguments: lies.indices)
    func nothingElseIsSigned(index: Int) throws {
        let (words, lie) = Self.lies[index]
        let renewal = try Renewal()
        let replies = try lie(renewal)
        renewal.fixture.broker.change { $0.succession = replies }
        var client = try renewal.fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .notCompleted, "\(words)")
        // The last one was not signed, and nothing was registered.
        #expect(renewal.fixture.broker.successions.count == replies.count - 1, "\(words)")
        #expect(try renewal.fixture.registry.record(for: renewal.fixture.record.owner) == renewal.fixture.record)
    }

    /// The TPM has refused the signature, so no machine is told.
    @Test func aSuccessionThatIsNotCompletedRenewsNothing() throws {
        let renewal = try Renewal()
        let refusal = Varlink.encode(Fault(.brokerFailed, "no"))
        renewal.fixture.broker.change { $0.raw["CompleteSuccession"] = refusal }
        var client = try renewal.fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .notCompleted)
        #expect(renewal.fixture.broker.successions.count == 1)
        #expect(!renewal.fixture.broker.calls.contains("Succeed"))
        #expect(try renewal.fixture.registry.record(for: renewal.fixture.record.owner) == renewal.fixture.record)
    }

    /// The circle was told of one successor, and the broker offers another.
    @Test func theRegisteredSuccessorIsTheOneThatWasTold() throws {
        let (renewal, other) = (try Renewal(), try Renewal())
        let record = renewal.fixture.record
        let foreign = RegistryRecord(
            vault: other.next.vault, owner: record.owner, ownerName: record.ownerName, created: record.created,
            sealer: record.sealer, authenticatorKey: record.authenticatorKey, storageKey: nil,
            objects: renewal.next.objects)
        renewal.fixture.broker.change { $0.successor = foreign }
        var client = try renewal.fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .notCompleted)
        #expect(try renewal.fixture.registry.record(for: record.owner) == record)
    }

    /// A broker that describes a renewal in another way than the person can be shown.
    @Test func aDescriptionThatIsNotClearIsRefused() throws {
        let changes: [@Sendable (inout BrokerInterface.Describe.Reply) -> Void] = [
            { $0.circle = nil }, { $0.machines = nil }, { $0.circle = "00" }, { $0.machines = ["no name"] },
            { $0.statement = "AAAA" }, { $0.signer = "AAAA" }, { $0.request = "AAAA" },
            { $0.machines = [String](repeating: "m", count: 1025) },
        ]
        for (place, change) in changes.enumerated() {
            let renewal = try Renewal()
            renewal.fixture.broker.change { change(&$0.facts) }
            var client = try renewal.fixture.client()
            #expect(try client.begin().name == .authenticationChallengeRefused, "\(place)")
        }
    }
}
