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

/// The circle of a service's vault (docs/decisions/0035-service-circles.md): root is shown each statement and agrees to it,
/// and neither the service's own account nor a taken-over broker gets one in another way.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"), .serialized)
struct ServiceCircleTests {
    private static let purposes = [Keychain.Purpose.foundCircle, .addToCircle, .joinCircle, .removeFromCircle]

    private let accounts: ThrowAwayAccounts
    private let sample: CircleSample

    init() throws { (accounts, sample) = (try ThrowAwayAccounts(1), try CircleSample()) }

    private var name: String { accounts.names[0] }

    private func fixture(isService: Bool = true) throws -> Fixture {
        let (owner, name) = (Owner.user(accounts.uids[0]), name)
        let fixture = try Fixture(
            .init(changeRecord: { record in
                func services(_ objects: [ObjectRole: [UInt8]]) -> RegistryRecord {
                    RegistryRecord(
                        vault: record.vault, owner: owner, ownerName: name, created: record.created,
                        sealer: record.sealer, authenticatorKey: record.authenticatorKey, storageKey: nil,
                        objects: objects, isService: isService)
                }
                return try services(Fixture.guarded(services(record.objects)).objects)
            }))
        fixture.broker.change { $0.facts.owner = owner.text }
        return fixture
    }

    /// The conversation up to the question.
    private func question(
        _ client: inout TestClient, _ purpose: Keychain.Purpose
    ) throws -> (notice: String, question: BrokerProtocol.Authentication.Message?) {
        let notice = try client.begin(code: sample.code(for: purpose)).message
        #expect(notice?.style == .info)
        return (notice?.text.unbroken ?? "", try client.go().message)
    }

    @Test(arguments: purposes)
    func rootIsShownTheStatementAndAgrees(purpose: Keychain.Purpose) throws {
        let fixture = try fixture()
        try fixture.ask(purpose, sample)
        var client = try fixture.client()
        let (notice, question) = try question(&client, purpose)
        #expect(notice.contains("the vault of the service account \"\(name)\""), "\(notice)")
        #expect(!notice.contains("your vault"), "\(notice)")
        switch purpose {
        case .addToCircle: #expect(try notice.contains("\"laptop\"") && notice.contains(sample.words), "\(notice)")
        case .joinCircle: #expect(try notice.contains("\"desk\"") && notice.contains(sample.words), "\(notice)")
        case .removeFromCircle: #expect(notice.contains("\"laptop\""), "\(notice)")
        default: break
        }
        #expect(question?.style == .visible && question?.text.contains("yes") == true)
        // Nothing is signed before the answer.
        #expect(fixture.broker.calls == ["Describe"])
        #expect(try client.go("yes").isDone)
        let last = purpose == .joinCircle ? ["ConfirmAcceptance"] : ["Prepare", "Complete"]
        #expect(fixture.broker.calls == ["Describe"] + last)
        // The log does not say that nobody was asked.
        #expect(fixture.broker.completions.allSatisfy { $0.means == nil })
    }

    /// Other users' conversations can use up the lines that the log has for those without an answer.
    @Test func rootsAnswerIsInTheLogAllTheSame() throws {
        let fixture = try fixture()
        let started = try ActivatedConversations(fixture, .accepted, subcommand: "converse-unlogged")
        try fixture.ask(.foundCircle, sample)
        var client = try TestClient(started.socket)
        _ = try question(&client, .foundCircle)
        #expect(try client.go("yes").isDone)
        #expect(eventually { started.log.contains("outcome=authorized") }, "\(started.log)")
    }

    /// Decision 39: what root's program answers for an invitation fits the role that it is for, and the circle that it leads
    /// to. Attacker 13: a broker that was taken over puts another request in the place of the invited one.
    @Test(arguments: [MemberRole.reader, .writer, .admin])
    func anInvitationAddsWithItsRoleOnly(role: MemberRole) throws {
        let fixture = try fixture()
        let sample = try CircleSample(role)
        for answer in ["reader", "writer", "admin", "paper", Hex.encode(sample.circle.bytes)] {
            try fixture.ask(.addToCircle, sample)
            var client = try fixture.client()
            _ = try client.begin(code: sample.code(for: .addToCircle))
            _ = try client.go()
            let isRight = answer == (role == .reader ? "reader" : role == .writer ? "writer" : "")
            let before = fixture.broker.completions.count
            let outcome = try client.go(answer)
            #expect(isRight ? outcome.isDone : outcome.name == .authenticationCancelled, "\(role) \(answer)")
            #expect(fixture.broker.completions.count == before + (isRight ? 1 : 0))
            if isRight { #expect(fixture.broker.completions.last?.means == "invitation") }
        }
    }

    @Test func anInvitationEntersItsCircleOnly() throws {
        let fixture = try fixture()
        let own = Hex.encode(sample.circle.bytes)
        let others = [
            Hex.encode(try CircleSample().circle.bytes), String(own.dropLast()), own.uppercased(), "reader", "",
        ]
        for answer in others + [own] {
            try fixture.ask(.joinCircle, sample)
            var client = try fixture.client()
            _ = try question(&client, .joinCircle)
            let outcome = try client.go(answer)
            #expect(answer == own ? outcome.isDone : outcome.name == .authenticationCancelled, "\(answer)")
        }
        #expect(fixture.broker.calls.count { $0 == "ConfirmAcceptance" } == 1)
        // It begins no circle, and removes nobody.
        for purpose in [Keychain.Purpose.foundCircle, .removeFromCircle] {
            for answer in [own, "reader", "writer", "admin"] {
                try fixture.ask(purpose, sample)
                var client = try fixture.client()
                _ = try question(&client, purpose)
                #expect(try client.go(answer).name == .authenticationCancelled, "\(purpose) \(answer)")
            }
        }
        #expect(fixture.broker.completions.isEmpty)
    }

    @Test(arguments: purposes)
    func everyOtherAnswerIsNo(purpose: Keychain.Purpose) throws {
        let fixture = try fixture()
        for answer in ["", "no", "YES", "yes ", "y", Fixture.password] {
            try fixture.ask(purpose, sample)
            var client = try fixture.client()
            _ = try question(&client, purpose)
            #expect(try client.go(answer).name == .authenticationCancelled, "\(answer)")
        }
        var client = try fixture.client()
        _ = try question(&client, purpose)
        _ = try client.cancel()
        #expect(fixture.broker.calls.allSatisfy { ["Describe", "Refuse"].contains($0) })
    }

    /// Before the question, too.
    @Test func whoGivesUpAtTheNoticeIsNotAsked() throws {
        let fixture = try fixture()
        try fixture.ask(.foundCircle, sample)
        var client = try fixture.client()
        #expect(try client.begin().message?.style == .info)
        #expect(try client.cancel() == .success(Nothing()))
        #expect(try client.seesEnd())
        #expect(fixture.broker.calls == ["Describe", "Refuse"])
    }

    /// T2: root agrees to one machine, and the broker prepares the signature for another, or another vault's.
    @Test(arguments: [Keychain.Purpose.foundCircle, .addToCircle, .removeFromCircle])
    func anotherStatementIsNotSigned(purpose: Keychain.Purpose) throws {
        let fixture = try fixture()
        try fixture.ask(purpose, sample)
        let attacker = try CircleSample.addition(of: CircleSample.keys(9), by: sample.founder, to: sample.circle)
        let other = try Fixture.newRecord(fixture.account, key: fixture.key.publicKey)
        for hash in [
            try CircleSample.hash(attacker, by: sample.founder, fixture.record),
            try CircleSample.hash(sample.statement(purpose), by: sample.founder, other),
        ] {
            fixture.broker.change { $0.parameterHash = hash }
            var client = try fixture.client()
            _ = try question(&client, purpose)
            #expect(try client.go("yes").name == .brokerUnavailable)
        }
        #expect(fixture.broker.completions.isEmpty)
    }

    /// The code is root's word for which machine it is.
    @Test func theCodeOfAnotherMachineAddsNobody() throws {
        let fixture = try fixture()
        try fixture.ask(.addToCircle, sample)
        let other = try CircleSample.code(of: CircleSample.request(CircleSample.keys(9)))
        for (code, refusal) in [
            (nil, Fault.Name.authenticationInvalidArgument), (other, .authenticationChallengeRefused),
        ] {
            var client = try fixture.client()
            #expect(try client.begin(code: code).name == refusal)
        }
        #expect(fixture.broker.calls.allSatisfy { ["Describe", "Refuse"].contains($0) })
    }

    /// What a service's account may be taken over for. It has no password, but its vault can be a person's who has one.
    @Test func theServicesOwnAccountDecidesNothing() async throws {
        let fixture = try fixture()
        let other = { () async throws -> OtherProcess in
            try await OtherProcess(socket: "\(fixture.path)/auth.sock", uid: accounts.uids[0], groups: [])
        }
        for purpose in Self.purposes {
            try fixture.ask(purpose, sample)
            let code = try sample.code(for: purpose).map { #","code":"\#($0)""# } ?? ""
            let answer = try await other().say(
                #"{"method":"org.coffer.Authentication.Begin","parameters":{"challenge":"challenge"\#(code)}}"#)
            #expect(answer.contains("ChallengeRefused"), "\(purpose): \(answer)")
        }
        #expect(fixture.broker.calls.allSatisfy { ["Describe", "Refuse"].contains($0) })
    }

    /// The account can renew its own vault's keys, but a renewal that is told to a circle is a statement.
    @Test func theServicesOwnAccountTellsNoCircleOfARenewal() async throws {
        let fixture = try fixture()
        let circle = Hex.encode(sample.circle.bytes)
        fixture.broker.change { script in
            script.facts.purposes = [.rotate]
            (script.facts.service, script.facts.account) = (nil, nil)
            script.facts.items = []
            script.facts.authorizations = [.init(kind: "unlock")]
            script.facts.alternatives = [[0]]
            script.facts.circle = circle
            script.facts.machines = ["web"]
        }
        let begin = #"{"method":"org.coffer.Authentication.Begin","parameters":{"challenge":"challenge"}}"#
        let first = try await OtherProcess(socket: "\(fixture.path)/auth.sock", uid: accounts.uids[0])
        let refused = try await first.say(begin)
        #expect(refused.contains("ChallengeRefused"), "\(refused)")
        fixture.broker.change { script in
            script.facts.circle = nil
            script.facts.machines = nil
        }
        let second = try await OtherProcess(socket: "\(fixture.path)/auth.sock", uid: accounts.uids[0])
        let asked = try await second.say(begin)
        #expect(asked.contains("Renew all keys"), "\(asked)")
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    /// Nor does root for a person: neither a password nor a yes of root's is that person's answer.
    @Test(arguments: purposes)
    func rootDecidesNothingForAPerson(purpose: Keychain.Purpose) throws {
        let fixture = try fixture(isService: false)
        try fixture.ask(purpose, sample)
        var client = try fixture.client()
        #expect(try client.begin(code: sample.code(for: purpose)).name == .authenticationChallengeRefused)
        #expect(fixture.broker.calls == ["Describe", "Refuse"])
    }

    /// No code on paper, and nothing to release: nobody at another machine would answer for it.
    @Test func thereIsNoPaper() throws {
        let fixture = try fixture()
        try fixture.ask(.paperToCircle, sample)
        var client = try fixture.client()
        #expect(try client.begin(code: sample.code(for: .paperToCircle)).name == .authenticationChallengeRefused)
    }

    /// Renewed keys are told to the circle in root's name. Without a circle, nobody is asked.
    @Test func aRenewalThatIsToldIsShown() throws {
        let fixture = try fixture()
        fixture.broker.change { script in
            script.facts.purposes = [.rotate]
            (script.facts.service, script.facts.account) = (nil, nil)
            script.facts.items = []
            script.facts.authorizations = [.init(kind: "unlock")]
            script.facts.alternatives = [[0]]
        }
        var silent = try fixture.client()
        #expect(try silent.begin().message == nil)
        #expect(fixture.broker.calls.contains("Prepare"))
        let circle = sample.circle
        fixture.broker.change { script in
            script.facts.circle = Hex.encode(circle.bytes)
            script.facts.machines = ["web"]
            script.adopted = []
        }
        let prepared = fixture.broker.calls.count { $0 == "Prepare" }
        var client = try fixture.client()
        let notice = try client.begin().message?.text.unbroken ?? ""
        #expect(notice.contains("\"web\"") && notice.contains("service account \"\(name)\""), "\(notice)")
        #expect(try client.go().message?.style == .visible)
        #expect(try client.go("no").name == .authenticationCancelled)
        #expect(fixture.broker.calls.count { $0 == "Prepare" } == prepared)
    }
}
