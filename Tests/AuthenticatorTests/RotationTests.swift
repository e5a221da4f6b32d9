import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import Testing
import Varlink

/// What the real authenticator signs and registers when all keys are renewed, and what a taken-over broker does not get
/// that way.
struct RotationTests {
    /// A broker that asks for a renewal with these items. Each item requires presence.
    private func fixture(_ items: [String] = ["me", "you"]) throws -> Fixture {
        let fixture = try Fixture()
        fixture.broker.change { script in
            script.facts.purposes = [.rotate]
            script.facts.service = nil
            script.facts.account = nil
            script.facts.items = items.map { .init(service: "github", account: $0) }
            script.facts.authorizations = [.init(kind: "unlock")] + items.map { _ in .init(kind: "presence") }
            script.facts.alternatives = [(0...items.count).map(Int64.init)]
            script.adopted = []
        }
        return fixture
    }

    private func successor(
        of record: RegistryRecord, vault: VaultID? = nil, owner: Owner? = nil, name: String? = nil, created: UInt64 = 0,
        key: [UInt8]? = nil, service: Bool = false, objects: [ObjectRole: [UInt8]]? = nil
    ) throws -> RegistryRecord {
        let fresh = record.objects.mapValues { $0.prefix(2) + $0.dropFirst(2).map { $0 ^ 0x80 } }.mapValues(Array.init)
        return RegistryRecord(
            vault: try vault ?? VaultID.random(), owner: owner ?? record.owner, ownerName: name ?? record.ownerName,
            created: record.created + created, sealer: record.sealer, authenticatorKey: key ?? record.authenticatorKey,
            storageKey: nil, objects: objects ?? fresh, isService: service)
    }

    @Test func onePromptNamesAllAndTheSuccessorIsRegisteredOnceItWasSeenToOpen() throws {
        let fixture = try fixture()
        let next = try successor(of: fixture.record)
        fixture.broker.change { $0.successor = next }
        var client = try fixture.client()
        let notice = try client.begin().message?.text ?? ""
        for word in ["Renew all keys", "\"github\" / \"me\"", "\"github\" / \"you\"", "recovery code"] {
            #expect(notice.contains(word), "\(notice)")
        }
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
        #expect(
            fixture.broker.calls == [
                "Describe", "Prepare", "Complete", "Renew", "Prepare", "Complete", "Prepare", "Complete", "Succeed",
                "Prepare", "Complete", "AdoptSuccessor",
            ])
        #expect(try fixture.registry.record(for: fixture.record.owner) == next)
        // Each signature is for its own purpose, and the last one is for the successor.
        let hash = [UInt8](repeating: 0x22, count: 32)
        let nonce = [UInt8](repeating: 0x11, count: 32)
        for (completion, (record, kind)) in zip(
            fixture.broker.completions,
            [(fixture.record, .unlock), (fixture.record, .presence), (fixture.record, .presence), (next, .unlock)]
                as [(RegistryRecord, AuthorizationKind)])
        {
            let request = try #require(
                SigningRequest(nonce: nonce, parameterHash: hash, reference: record.policyReference(for: kind)))
            let signature = [UInt8](try #require(Data(base64Encoded: completion.signature)))
            #expect(
                try P256.isValid(
                    signature: signature, for: request.message(), publicKey: fixture.record.authenticatorKey))
        }
    }

    @Test func eachNameIsWholeAndNoTwoLookAlike() throws {
        let long = String(repeating: "n", count: 300)
        let names = [long + "-shop", long + "-bank", "caf\u{e9}", "cafe\u{301}"]
        let fixture = try fixture(names)
        var client = try fixture.client()
        let notice = (try client.begin().message?.text ?? "").unbroken
        let lines = notice.split(separator: "\n").dropFirst()
        for name in names.dropLast() + ["cafe\\u{301}"] {
            #expect(lines.contains("  \"github\" / \"\(name)\""), "\(name): \(notice)")
        }
        // The program and the consequences follow.
        #expect(Set(lines).count == 4 + 2, "\(notice)")
    }

    @Test func aWrongPasswordRenewsNothing() throws {
        let fixture = try fixture()
        var client = try fixture.client()
        #expect(try client.authenticate("wrong").name == .authenticationFailed)
        #expect(!fixture.broker.calls.contains("Prepare") && !fixture.broker.calls.contains("Renew"))
        #expect(try fixture.registry.record(for: fixture.record.owner) == fixture.record)
    }

    @Test func whereItemsAreLeftNothingIsRegistered() throws {
        let fixture = try fixture()
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(fixture.broker.calls.last == "Succeed")
        #expect(try fixture.registry.record(for: fixture.record.owner) == fixture.record)
    }

    static let lies: [(String, @Sendable (inout BrokerInterface.Describe.Reply) -> Void)] = [
        ("more items read than named", { $0.items = [.init(service: "github", account: "me")] }),
        ("no item named", { $0.items = nil }),
        (
            "more items than a person can be shown",
            { $0.items = (0..<33).map { .init(service: "s", account: "\($0)") } }
        ),
        (
            "two items of one name",
            { $0.items = (0..<2).map { _ in .init(service: "github", account: "me") } }
        ),
        (
            "names that have no room",
            { facts in
                facts.items = ["a", "b"].map { name in
                    .init(
                        service: name + String(repeating: "\u{1}", count: 1000),
                        account: String(repeating: "\u{1}", count: 1000))
                }
            }
        ),
        ("without opening it", { $0.alternatives = [[1, 2]] }),
        (
            "opening it twice",
            {
                $0.authorizations[1] = .init(kind: "unlock")
            }
        ),
        ("a recovery code's making on the side", { $0.authorizations[1] = .init(kind: "recovery") }),
        ("another purpose besides", { $0.purposes = [.rotate, .unlock] }),
        (
            "names for a plain opening",
            { facts in
                facts.purposes = [.unlock]
                facts.authorizations = [.init(kind: "unlock")]
                facts.alternatives = [[0]]
            }
        ),
    ]

    @Test(arguments: lies.indices)
    func aLieEndsTheConversation(index: Int) throws {
        let fixture = try fixture()
        fixture.broker.change { Self.lies[index].1(&$0.facts) }
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationChallengeRefused, "\(Self.lies[index].0)")
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test(arguments: 0..<7)
    func aBrokerThatPassesSomethingElseOffIsNotRegistered(index: Int) throws {
        let fixture = try fixture()
        let record = fixture.record
        let other = try P256.PrivateKey.generate().publicKey
        var reused = try successor(of: record).objects
        reused[.presence] = record.objects[.presence]
        let proposals: [RegistryRecord] = [
            try successor(of: record, vault: record.vault), try successor(of: record, owner: .user(4242)),
            try successor(of: record, created: 1), try successor(of: record, key: other),
            try successor(of: record, service: true), try successor(of: record, objects: record.objects),
            try successor(of: record, objects: reused),
        ]
        fixture.broker.change { $0.successor = proposals[index] }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .notCompleted)
        #expect(try fixture.registry.record(for: record.owner) == record)
        #expect(!fixture.broker.calls.contains("AdoptSuccessor"))
        // Nothing was signed for it either.
        #expect(fixture.broker.completions.count == 3)
    }

    @Test func aSuccessorThatDoesNotOpenIsNotRegistered() throws {
        let fixture = try fixture([])
        let next = try successor(of: fixture.record)
        let refusal = Varlink.encode(Fault(.brokerFailed, "it does not open"))
        let broker = fixture.broker
        fixture.broker.change { script in
            script.successor = next
            script.before["Succeed"] = { broker.change { $0.refusedCompletions = [refusal] } }
        }
        var client = try fixture.client()
        #expect(try !client.authenticate(Fixture.password).isDone)
        #expect(try fixture.registry.record(for: fixture.record.owner) == fixture.record)
    }

    /// Its index of tries, its counter and its generation are new, and the TPM's storage key is the same.
    @Test(arguments: [(0, false), (1, true), (4096, true), (4097, false)])
    func aVaultInATPMIsRenewed(context: Int, isTaken: Bool) throws {
        let fixture = try Fixture(.init(changeRecord: { $0.sealedByTPM }))
        let record = fixture.record
        let storage = try #require(record.storageKey)
        let objects = record.objects.mapValues { $0.prefix(2) + $0.dropFirst(2).map { $0 ^ 0x80 } }
        let next = RegistryRecord(
            vault: try VaultID.random(), owner: record.owner, ownerName: record.ownerName, created: record.created,
            sealer: .tpm, authenticatorKey: record.authenticatorKey,
            storageKey: StorageKeyPin(
                handle: storage.handle, name: storage.name, context: [UInt8](repeating: 1, count: context)),
            counter: CounterPin(handle: 0x01B0_C004, base: 0, context: [1]), objects: objects.mapValues(Array.init),
            generation: IndexPin(handle: 0x01B0_C005, policy: [UInt8](repeating: 3, count: 32)))
        fixture.ask(for: [.rotate], ["unlock"])
        fixture.broker.change { $0.successor = next }
        var client = try fixture.client()
        let end = try client.authenticate(Fixture.password)
        #expect(isTaken ? end.isDone : end.name == .notCompleted, "\(end)")
        #expect(try fixture.registry.record(for: record.owner) == (isTaken ? next : record))
    }

    @Test func theOwnersNameIsTheRegistrys() throws {
        let fixture = try fixture([])
        let next = try successor(of: fixture.record, name: "somebody")
        fixture.broker.change { $0.successor = next }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(try fixture.registry.record(for: fixture.record.owner)?.ownerName == fixture.record.ownerName)
    }
}
