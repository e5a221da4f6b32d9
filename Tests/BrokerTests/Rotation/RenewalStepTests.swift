import Authorization
import BrokerProtocol
import Cryptography
import Dispatch
import Platform
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// The steps of a renewal of all keys one by one, for those that more than one check keeps from coming too early, too
/// often or from another challenge.
@Suite(.timeLimit(.minutes(10)))
struct RenewalStepTests {
    /// An unlocked vault with one item.
    private struct Fixture {
        let vaults: VaultFixture
        let vaultActor: VaultActor
        let record: RegistryRecord

        init() async throws {
            vaults = try VaultFixture()
            vaultActor = try await vaults.make(1)
            let state = try #require(await vaultActor.open)
            record = state.record
            _ = try vaults.read("a", state)
        }

        var renewal: VaultRenewal { vaultActor.renewal }

        /// An open challenge for a renewal.
        func challenge() throws -> Challenge {
            let request = Challenge.Request.rotate(Challenge.Rotation(items: [], authorizations: [], passwords: [:]))
            let id = try vaults.ask(1, request, vault: record.vault)
            return Challenge(
                id: id, uid: 1, owner: .user(1), process: vaults.caller(1).process, vault: record.vault, reason: nil,
                enrolled: [], life: ChallengeLife(request), expires: .now + .seconds(600))
        }

        func begin(_ challenge: Challenge, key: [UInt8]? = nil) async throws {
            try await renewal.begin(
                in: vaultActor, for: challenge, authenticatorKey: key ?? vaults.key.publicKey, binding: nil)
        }

        /// Fills the successor, and offers it to the registry.
        func succeed(_ challenge: Challenge, over connection: UInt64) async throws -> RegistryRecord {
            try #require(try await renewal.succeed(in: vaultActor, for: challenge, over: connection).record)
        }

        func prove(_ challenge: Challenge) async throws {
            let root = try await vaults.root(of: vaultActor, for: challenge.id)
            try await renewal.proveSuccessor(in: vaultActor, root, for: challenge.id)
        }

        func adopt(_ challenge: Challenge) async throws -> RenewalOutcome {
            try await renewal.adoptSuccessor(in: vaultActor, for: challenge.id)
        }
    }

    private func expectRefused(
        _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> some Sendable
    ) async throws {
        let refused = try await fault(body)
        #expect(refused == Faults.challengeRefused, sourceLocation: location)
    }

    /// Nothing of the renewal goes on for this challenge.
    private func expectNothing(_ fixture: Fixture, _ challenge: Challenge) async throws {
        let (renewal, vaultActor) = (fixture.renewal, fixture.vaultActor)
        let secret = try SecretBytes.random(count: 32)
        try await expectRefused { try await fixture.succeed(challenge, over: 7) }
        try await expectRefused { try await renewal.proveSuccessor(in: vaultActor, secret, for: challenge.id) }
        try await expectRefused { try await fixture.adopt(challenge) }
        try await expectRefused { try await renewal.take(in: vaultActor, secret, for: challenge.id) }
        try await expectRefused {
            try await renewal.circleSigning(in: vaultActor, for: challenge.id) == nil
        }
        try await expectRefused {
            try await renewal.makeCircleKeys(in: vaultActor, for: challenge, unlockRoot: secret)
        }
        #expect(renewal.successorMaterial(for: challenge.id) == nil)
    }

    @Test("each step is taken in its turn, by the challenge that began, and the registry has the last word")
    func steps() async throws {
        let fixture = try await Fixture()
        let (renewal, vaultActor) = (fixture.renewal, fixture.vaultActor)
        let (mine, theirs) = (try fixture.challenge(), try fixture.challenge())
        try await expectNothing(fixture, mine)
        try await fixture.begin(mine)
        #expect(renewal.renewal?.challenge == mine.id && !renewal.isOffered)
        let busy = try await fault { try await fixture.begin(theirs) }
        #expect(busy.details.message == "the keys of your vault are being renewed already")
        try await expectNothing(fixture, theirs)
        // Before the successor is complete, nothing can be proved or adopted.
        let secret = try SecretBytes.random(count: 32)
        try await expectRefused { try await renewal.proveSuccessor(in: vaultActor, secret, for: mine.id) }
        try await expectRefused { try await fixture.adopt(mine) }

        let record = try await fixture.succeed(mine, over: 5)
        #expect(record.vault != fixture.record.vault && record.owner == fixture.record.owner && renewal.isOffered)
        #expect(renewal.successorMaterial(for: mine.id)?.isSuccessor == true)
        #expect(renewal.successorMaterial(for: mine.id)?.record == record)
        try await expectNothing(fixture, theirs)
        try await expectRefused { try await fixture.succeed(mine, over: 5) }
        try await expectRefused { try await renewal.take(in: vaultActor, secret, for: mine.id) }
        try await expectRefused { try await renewal.circleSigning(in: vaultActor, for: mine.id) == nil }
        let unproved = try await fault {
            try await renewal.proveSuccessor(in: vaultActor, secret, for: mine.id)
        }
        #expect(unproved.name == .failed)
        try await expectRefused { try await fixture.adopt(mine) }
        try await fixture.prove(mine)
        try await expectNothing(fixture, theirs)
        // The registry still names the vault itself.
        #expect(try await fault { try await fixture.adopt(mine) }.name == .notPermitted)
        try fixture.vaults.dependencies.registry.succeed(fixture.record, with: record)
        #expect(try await fixture.adopt(mine) == RenewalOutcome(items: 1, isRevoked: true))
        #expect(await vaultActor.open?.record == record)
        #expect(vaultActor.held.isUnlocked)
        #expect(await !vaultActor.isUnderWay(for: mine.id))
        // What was asked about the former keys is over.
        let challenges = fixture.vaults.challenges
        #expect(challenges.isOpen(mine.id) && !challenges.isOpen(theirs.id))
        try await expectNothing(fixture, mine)
        await vaultActor.close()
    }

    @Test("the end of the authenticator's connection, and of no other, lets the registry decide")
    func ended() async throws {
        let fixture = try await Fixture()
        let (renewal, vaultActor) = (fixture.renewal, fixture.vaultActor)
        let mine = try fixture.challenge()
        try await fixture.begin(mine)
        _ = try await fixture.succeed(mine, over: 5)
        try await fixture.prove(mine)
        await renewal.conversationEnded(4, in: vaultActor)
        #expect(renewal.isOffered && renewal.renewal?.keys != nil)
        // The registry names the vault itself, which goes on. What was proved has to be proved again.
        await renewal.conversationEnded(5, in: vaultActor)
        #expect(!renewal.isOffered && renewal.renewal?.keys == nil && renewal.renewal?.succession.offer == nil)
        #expect(try await vaultActor.use { $0.record } == fixture.record)
        #expect(vaultActor.held.isUnlocked)
        try await expectRefused { try await fixture.adopt(mine) }
        let record = try await fixture.succeed(mine, over: 6)
        try await expectRefused { try await fixture.adopt(mine) }
        try fixture.vaults.dependencies.registry.succeed(fixture.record, with: record)
        await renewal.conversationEnded(6, in: vaultActor)
        #expect(!renewal.isOffered && renewal.renewal == nil)
        #expect(!fixture.vaults.challenges.isOpen(mine.id))
        #expect(try await vaultActor.use { $0.record } == record)
        #expect(!vaultActor.held.isUnlocked)
        await vaultActor.close()
    }

    @Test("the end of a connection waits for no vault that is busy with something else")
    func endedWhileAnotherIsBusy() async throws {
        let fixture = try await Fixture()
        let other = try await fixture.vaults.make(2)
        let mine = try fixture.challenge()
        try await fixture.begin(mine)
        _ = try await fixture.succeed(mine, over: 5)
        let (busy, isDone) = (DispatchSemaphore(value: 0), ConnectionFlag())
        other.executor.inTurn {
            // This ends the test even if it fails.
            _ = busy.wait(timeout: .now() + .seconds(Int(patience.components.seconds)))
            isDone.set(true)
        }
        await fixture.vaults.vaultStore.conversationEnded(5)
        #expect(!fixture.renewal.isOffered && !isDone.isUp)
        busy.signal()
        await other.close()
        await fixture.vaultActor.close()
    }

    @Test("a renewal begins for the vault that was meant, bound as it is, and while it is open")
    func beginning() async throws {
        let fixture = try await Fixture()
        let mine = try fixture.challenge()
        var other = mine
        other.vault = try VaultID.random()
        try await expectRefused { try await fixture.begin(other) }
        let (pin, salt) = (try SecretBytes.random(count: 32), [UInt8](repeating: 1, count: BindingPin.saltCount))
        try await expectRefused {
            try await fixture.renewal.begin(
                in: fixture.vaultActor, for: mine, authenticatorKey: fixture.vaults.key.publicKey,
                binding: (pin: pin, salt: salt))
        }
        fixture.vaultActor.lock()
        let locked = try fixture.challenge()
        #expect(try await fault { try await fixture.begin(locked) } == Faults.locked)
        #expect(fixture.renewal.renewal == nil)
        await fixture.vaultActor.close()
    }

    @Test("what an earlier session has made is gone on with, unless the authenticator has another key by now")
    func again() async throws {
        let fixture = try await Fixture()
        func begin(_ key: [UInt8]? = nil) async throws -> RegistryRecord {
            let challenge = try fixture.challenge()
            try await fixture.begin(challenge, key: key)
            #expect(fixture.renewal.renewal?.challenge == challenge.id)
            // The session ends without a word.
            fixture.vaults.challenges.drop(challenge.id)
            return try #require(fixture.renewal.renewal).succession.record
        }
        let first = try await begin()
        #expect(try await begin() == first)
        // Also from the files alone, as after a restart.
        fixture.renewal.close()
        #expect(fixture.renewal.renewal == nil)
        #expect(try await begin() == first)
        let key = try P256.PrivateKey.generate().publicKey
        let second = try await begin(key)
        #expect(second.vault != first.vault && second.authenticatorKey == key)
        #expect(try await begin(key) == second)
        await fixture.vaultActor.close()
    }
}
