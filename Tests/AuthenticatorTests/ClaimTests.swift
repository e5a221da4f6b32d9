import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing

/// Which vault the authenticator signs for. A taken-over broker names a group or another account, and does not get what
/// the client has no right to.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"), .serialized)
struct ClaimTests {
    private let accounts: ThrowAwayAccounts

    init() throws { accounts = try ThrowAwayAccounts(1) }

    /// A broker says that a challenge is about this owner, who has a vault.
    private func fixture(
        _ owner: Owner, name: String, isService: Bool = false, _ purposes: [Keychain.Purpose]
    ) throws -> Fixture {
        let fixture = try Fixture(
            .init(changeRecord: { record in
                RegistryRecord(
                    vault: record.vault, owner: owner, ownerName: name, created: record.created, sealer: record.sealer,
                    authenticatorKey: record.authenticatorKey, storageKey: nil, objects: record.objects,
                    isService: isService)
            }))
        fixture.broker.change { script in
            script.facts.owner = owner.text
            script.facts.purposes = purposes
            script.facts.authorizations = purposes.map { .init(kind: $0 == .unlock ? "unlock" : "presence") }
            script.facts.alternatives = [purposes.indices.map(Int64.init)]
        }
        return fixture
    }

    private func groupFixture() throws -> Fixture {
        try fixture(.group(accounts.gid), name: accounts.group, [.unlock, .read])
    }

    /// The authenticator's answer when a process of a throw-away account begins.
    private func beginAsOther(_ fixture: Fixture, groups: [UInt32] = []) async throws -> String {
        let other = try await OtherProcess(socket: "\(fixture.path)/auth.sock", uid: accounts.uids[0], groups: groups)
        return try await other.say(
            #"{"method":"org.coffer.Authentication.Begin","parameters":{"challenge":"challenge"}}"#)
    }

    private func addRoot() throws { try Tool.output("gpasswd", ["--add", callerName(), accounts.group]) }
    private func removeRoot() throws { try Tool.output("gpasswd", ["--delete", callerName(), accounts.group]) }
    private func callerName() throws -> String { try #require(try Account.withUID(geteuid())).name }

    @Test("a member answers for himself, and the question says that it is the group's")
    func member() throws {
        try addRoot()
        let fixture = try groupFixture()
        var client = try fixture.client()
        let notice = try client.begin().message?.text.unbroken
        #expect(notice?.contains(" of the group \"\(accounts.group)\" and unlock its vault") == true, "\(notice ?? "")")
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
        #expect(fixture.broker.completions.count == 2)
        #expect(fixture.broker.describes.first?.uid == 0)
    }

    @Test("for a group that the client is not in, nothing is asked or signed, whatever its process says of itself")
    func noMember() async throws {
        let fixture = try groupFixture()
        let answer = try await beginAsOther(fixture, groups: [accounts.gid])
        #expect(answer.contains("org.coffer.Authentication.ChallengeRefused"), "\(answer)")
        var client = try fixture.client()
        let fault = try client.begin().fault
        #expect(fault?.name == .authenticationChallengeRefused)
        #expect(fault?.details.message?.contains("your membership is missing") == true, "\(answer)")
        // A group that does not exist is refused in the same words.
        fixture.broker.change { $0.facts.owner = "group:4000000001" }
        var second = try fixture.client()
        #expect(try second.begin().fault == fault)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test("who is removed from the group while he types gets no signature for it")
    func removedMeanwhile() throws {
        try addRoot()
        let fixture = try groupFixture()
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        try removeRoot()
        #expect(try client.go(Fixture.password).name == .authenticationChallengeRefused)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test("who is removed from the group while he types gets no lease either")
    func removedBeforeALease() throws {
        try addRoot()
        let fixture = try groupFixture()
        fixture.broker.change { script in
            script.facts.purposes = [.lease]
            (script.facts.service, script.facts.account) = (nil, nil)
            script.facts.items = [.init(service: "github", account: "me")]
            script.facts.lease = .init(seconds: 60, command: nil)
            script.facts.authorizations = [.init(kind: "presence", point: "QUFB")]
            script.facts.alternatives = [[0]]
        }
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        try removeRoot()
        #expect(try client.go(Fixture.password).name == .authenticationChallengeRefused)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test("a group that gets another name while he types is another group")
    func renamedMeanwhile() throws {
        try addRoot()
        let fixture = try groupFixture()
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        try accounts.renameGroup(to: accounts.group + "x")
        #expect(try client.go(Fixture.password).name == .authenticationChallengeRefused)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test("nobody makes a recovery code for a group's keychain, nor root for an account's")
    func noRecovery() throws {
        try addRoot()
        for (owner, name, isService) in [
            (Owner.group(accounts.gid), accounts.group, false), (.user(accounts.uids[0]), accounts.names[0], true),
        ] {
            let fixture = try fixture(owner, name: name, isService: isService, [.recovery])
            fixture.broker.change { $0.facts.authorizations = [.init(kind: "recovery")] }
            var client = try fixture.client()
            #expect(try client.begin().name == .authenticationChallengeRefused)
            #expect(!fixture.broker.calls.contains("Prepare"))
        }
    }

    @Test("nobody shares a group's keychain with other machines, nor root another person's")
    func noCircle() throws {
        try addRoot()
        let sample = try CircleSample()
        for (owner, name) in [
            (Owner.group(accounts.gid), accounts.group), (.user(accounts.uids[0]), accounts.names[0]),
        ] {
            let fixture = try fixture(owner, name: name, [.unlock])
            for purpose in [Keychain.Purpose.foundCircle, .addToCircle, .paperToCircle, .joinCircle, .removeFromCircle]
            {
                try fixture.ask(purpose, sample)
                var client = try fixture.client()
                let code = try sample.code(for: purpose)
                #expect(try client.begin(code: code).name == .authenticationChallengeRefused, "\(purpose)")
            }
            #expect(fixture.broker.calls.allSatisfy { ["Describe", "Refuse"].contains($0) })
        }
    }

    @Test("a number that now belongs to another group is denied")
    func otherGroup() throws {
        try addRoot()
        let fixture = try fixture(.group(accounts.gid), name: "somebody-before", [.unlock])
        var client = try fixture.client()
        #expect(try client.begin().fault?.details.reason == "denied")
    }

    @Test("root opens a service vault without being asked")
    func service() throws {
        let fixture = try fixture(.user(accounts.uids[0]), name: accounts.names[0], isService: true, [.unlock])
        var client = try fixture.client()
        #expect(try client.begin().isDone)
        #expect(fixture.broker.completions.count == 1)
    }

    @Test("root opens no person's vault that way, and reads no item by it", arguments: [false, true])
    func notRoots(isService: Bool) throws {
        for purposes in [[Keychain.Purpose.read], [.unlock, .read]] + (isService ? [] : [[.unlock]]) {
            let fixture = try fixture(.user(accounts.uids[0]), name: accounts.names[0], isService: isService, purposes)
            var client = try fixture.client()
            #expect(try client.begin().name == .authenticationChallengeRefused, "\(purposes)")
            #expect(!fixture.broker.calls.contains("Prepare"))
        }
    }

    @Test("nobody but root makes or opens another account's vault")
    func onlyRoot() async throws {
        let root = try callerName()
        let opening = try fixture(.user(0), name: root, isService: true, [.unlock])
        #expect(try await beginAsOther(opening).contains("ChallengeRefused"))
        let making = try Fixture(.init(hasVault: false))
        #expect(try await beginAsOther(making).contains("ChallengeRefused"))
        for fixture in [opening, making] {
            #expect(!fixture.broker.calls.contains("Provision") && !fixture.broker.calls.contains("Prepare"))
        }
    }

    @Test("what root makes for an account is registered as a service's, and only that")
    func creation() throws {
        for isService in [true, false] {
            let fixture = try Fixture(.init(hasVault: false))
            let owner = Owner.user(accounts.uids[0])
            let record = fixture.record
            let proposal = RegistryRecord(
                vault: record.vault, owner: owner, ownerName: "whatever", created: record.created,
                sealer: record.sealer, authenticatorKey: record.authenticatorKey, storageKey: nil,
                objects: record.objects, isService: isService)
            fixture.broker.change { script in
                script.facts.owner = owner.text
                script.record = proposal
            }
            var client = try fixture.client()
            let step = try client.begin()
            #expect(step.isDone == isService)
            let registered = try fixture.registry.record(for: owner)
            #expect(registered?.isService == (isService ? true : nil))
            #expect(registered?.ownerName == (isService ? accounts.names[0] : nil))
        }
    }
}
