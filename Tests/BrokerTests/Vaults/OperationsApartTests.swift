import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// What changes a vault as a whole begins only while nothing else does, and what is made of a vault step by step takes
/// each step once.
@Suite(.timeLimit(.minutes(10)))
struct OperationsApartTests {
    private static let busy = "another boot is being approved just now"

    /// Expects that something does not begin beside an approval, and leaves that alone.
    private func expectApart(
        _ vaultActor: VaultActor, _ location: SourceLocation = #_sourceLocation,
        _ body: () async throws -> some Sendable
    ) async throws {
        let refusal = try await fault(body)
        #expect(refusal.details.message == Self.busy, "\(refusal)", sourceLocation: location)
        let kind = await vaultActor.operation?.kind
        #expect(kind == .approval, sourceLocation: location)
    }

    private func challenge(_ request: Challenge.Request, of vault: VaultID?) -> Challenge {
        Challenge(
            id: "c", uid: 1, owner: .user(1), process: ProcessIdentity(pid: 7, startTime: 70), vault: vault,
            reason: nil, enrolled: [], life: ChallengeLife(request), expires: .now + .seconds(600))
    }

    @Test("a vault is not made while something else changes it")
    func creation() async throws {
        let fixture = try VaultFixture()
        let vaultActor = fixture.vaultStore.vaultActor(of: .user(1))
        let id = try fixture.ask(1, .vault(.create))
        try await vaultActor.begin(.approval, for: nil)
        try await expectApart(vaultActor) {
            try await vaultActor.creation.provision(in: vaultActor, for: id, authenticatorKey: fixture.key.publicKey)
        }
        await vaultActor.close()
    }

    @Test("neither fingers nor roots nor boots nor all keys are changed while something else is")
    func keys() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let vault = try await vaultActor.vaultID()
        let secret = try SecretBytes.random(count: 32)
        let id = try fixture.ask(1, .vault(.bind), vault: vault)
        try await vaultActor.begin(.approval, for: nil)
        try await expectApart(vaultActor) {
            try await vaultActor.fingers.provideSetKey(in: vaultActor, for: id, [UInt8](repeating: 1, count: 32))
        }
        try await expectApart(vaultActor) { try await vaultActor.fingers.adoptSetKey(in: vaultActor, for: id) }
        let bind = challenge(.vault(.bind), of: vault)
        try await expectApart(vaultActor) {
            try await vaultActor.roots.reseal(in: vaultActor, for: bind, root: secret, pin: secret).0
        }
        try await expectApart(vaultActor) {
            try await vaultActor.roots.adopt(in: vaultActor, for: id, root: secret, name: [1])
        }
        try await expectApart(vaultActor) { try await vaultActor.boots.approve(in: vaultActor, nil, by: secret) }
        let rotation = Challenge.Rotation(items: [], authorizations: [], passwords: [:])
        let renewal = challenge(.rotate(rotation), of: vault)
        try await expectApart(vaultActor) {
            try await vaultActor.renewal.begin(
                in: vaultActor, for: renewal, authenticatorKey: fixture.key.publicKey, binding: nil)
        }
        await vaultActor.endOperation(of: nil)
        await vaultActor.close()
    }

    @Test("the vault shares nothing while something else changes it, and what ends there gives its turn back")
    func sharing() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let (sharing, plans) = (vaultActor.sharing, try CirclePlan.oneOfEach())
        let signature = try SecretBytes(copying: [UInt8](repeating: 1, count: 64))
        let name = MachineName(near: "desk")
        let answer = try CirclePlan.answer(to: CirclePlan.request(2), 1)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await sharing.found(in: vaultActor, plans[0], signature) },
            { try await sharing.add(in: vaultActor, plans[1], signature) },
            { try await sharing.enter(in: vaultActor, answer, name) },
            { try await sharing.remove(in: vaultActor, plans[3], signature) },
            { try await sharing.addPaper(in: vaultActor, plans[4], signature) },
            { try await sharing.forget(in: vaultActor) },
            { try await sharing.giveOut(in: vaultActor, heads: []) },
        ]
        for (number, call) in calls.enumerated() where number > 0 {
            // `try?`: a vault without a circle refuses most of them, and is free afterwards.
            _ = try? await call()
            #expect(await vaultActor.operation == nil, "\(number)")
        }
        try await vaultActor.begin(.approval, for: nil)
        for call in calls { try await expectApart(vaultActor) { try await call() } }
        try await expectApart(vaultActor) { try await sharing.request(in: vaultActor, name, renewing: false) }
        await vaultActor.endOperation(of: nil)
        _ = try await sharing.request(in: vaultActor, name, renewing: false)
        #expect(await vaultActor.operation == nil)
        // The request that waits is given again. Only another one is made as a change.
        try await vaultActor.begin(.approval, for: nil)
        _ = try await sharing.request(in: vaultActor, name, renewing: false)
        try await expectApart(vaultActor) { try await sharing.request(in: vaultActor, name, renewing: true) }
        await vaultActor.close()
    }

    @Test("a vault is made once: of a challenge that goes on, with the record that root's registry has")
    func made() async throws {
        let fixture = try VaultFixture()
        let vaultActor = fixture.vaultStore.vaultActor(of: .user(1))
        let (creation, key) = (vaultActor.creation, fixture.key.publicKey)
        func adopt(_ id: Challenge.ID) async throws -> VaultID { try await creation.adopt(in: vaultActor, for: id) }
        // A challenge that ended while the keys were made leaves no file.
        let ended = try fixture.ask(1, .vault(.create))
        fixture.challenges.drop(ended)
        let late = try await fault {
            try await creation.provision(in: vaultActor, for: ended, authenticatorKey: key)
        }
        #expect(late == Faults.challengeRefused)
        let newPath = VaultFile.newPath(of: .user(1), in: fixture.folder.path)
        #expect(try FileStatus.of(newPath) == nil)
        let id = try fixture.ask(1, .vault(.create))
        #expect(try await fault { try await adopt(id) } == Faults.challengeRefused)
        let record = try await creation.provision(in: vaultActor, for: id, authenticatorKey: key)
        #expect(await vaultActor.isUnderWay(for: id))
        #expect(try await fault { try await adopt("another") } == Faults.challengeRefused)
        // Before root has written the record, and with another one.
        #expect(try await fault { try await adopt(id) }.name == .notPermitted)
        try fixture.dependencies.registry.write(record)
        #expect(try await adopt(id) == record.vault)
        #expect(await !vaultActor.isUnderWay(for: id))
        #expect(try await vaultActor.condition() == .sealed)
        #expect(try await fault { try await adopt(id) } == Faults.challengeRefused)
        let again = try await fault {
            try await creation.provision(in: vaultActor, for: id, authenticatorKey: key)
        }
        #expect(again.name == .alreadyExists)
        await vaultActor.close()
    }

    @Test("a recovery code is made of the present keys, and not of those that were renewed meanwhile")
    func formerKeys() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let (key, former) = (try SecretBytes.random(count: 32), try VaultID.random())
        let refused = try await fault {
            try await vaultActor.recovery.make(
                in: vaultActor, for: key, of: former, to: fixture.caller(1), ifNoLockSince: vaultActor.held.lockCount)
        }
        #expect(refused == Faults.challengeRefused)
        #expect(vaultActor.held.code == nil)
        await vaultActor.close()
    }
}
