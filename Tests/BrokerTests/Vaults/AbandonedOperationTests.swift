import Authorization
import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// A command is killed while the authenticator works for it. What it has begun holds up nobody once that is done, and
/// nobody is asked for what would be refused.
@Suite(.timeLimit(.minutes(10)))
struct AbandonedOperationTests {
    private static let uid = OwnProcess.effectiveUser
    /// No process has both of these numbers.
    private static let gone = ProcessIdentity(pid: 1, startTime: .max)
    private let challenges = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: .system)

    private func vaultActor() throws -> (VaultActor, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let dependencies = VaultDependencies(
            directory: folder.path, registry: Registry(directory: folder.path, authenticatorUID: Self.uid),
            sealer: SealerService(SoftwareSealer(directory: folder.path)), challenges: challenges)
        return (VaultActor(owner: .user(Self.uid), dependencies: dependencies), folder)
    }

    /// A challenge that an authenticator is asking about.
    private func described(for process: ProcessIdentity) throws -> Challenge.ID {
        let caller = Caller(uid: Self.uid, process: process, connection: 1)
        let id = try challenges.issue(.enrolment([.biometryAny]), to: caller, owner: caller.owner, vault: nil)
        _ = try challenges.describe(id, uid: Self.uid, process: process, connection: 9)
        return id
    }

    private func granted(to process: ProcessIdentity) throws -> Challenge.ID {
        let id = try described(for: process)
        try challenges.confirm(id, connection: 9)
        return id
    }

    @Test(
        "what was finished for a process that has ended is over at once",
        arguments: [VaultOperation.Kind.creation, .enrolment, .replacement, .approval, .renewal])
    func finished(kind: VaultOperation.Kind) async throws {
        let (vaultActor, folder) = try vaultActor()
        let (mine, theirs) = (try granted(to: Self.gone), try described(for: TestAuthenticator.thisProcess()))
        try await vaultActor.begin(kind, for: mine)
        #expect(challenges.isOpen(mine))
        try await vaultActor.requireTurn(for: kind, patience: .zero)
        #expect(!challenges.isOpen(mine))
        let other = try granted(to: Self.gone)
        try await vaultActor.begin(kind, for: other)
        try await vaultActor.begin(.renewal, for: theirs)
        #expect(await vaultActor.isUnderWay(for: theirs))
        #expect(!challenges.isOpen(other) && challenges.isOpen(theirs))
        withExtendedLifetime(folder) {}
    }

    @Test("what a living process may still take, or an authenticator still works at, goes on")
    func goesOn() async throws {
        let (vaultActor, folder) = try vaultActor()
        let theirs = try described(for: TestAuthenticator.thisProcess())
        for mine in [try granted(to: TestAuthenticator.thisProcess()), try described(for: Self.gone)] {
            try await vaultActor.begin(.renewal, for: mine)
            let refusals = [
                try await fault { try await vaultActor.begin(.renewal, for: theirs) },
                try await fault { try await vaultActor.requireTurn(for: .renewal, patience: .zero) },
            ]
            for refusal in refusals {
                #expect(refusal.details.message == "the keys of your vault are being renewed already")
                #expect(refusal.details.advice?.contains("try again in half a minute") == true)
            }
            // Only the same is refused before anybody is asked.
            try await vaultActor.requireTurn(for: .creation, patience: .zero)
            #expect(challenges.isOpen(mine))
            challenges.drop(mine)
            try await vaultActor.requireTurn(for: .renewal, patience: .zero)
        }
        withExtendedLifetime(folder) {}
    }

    @Test("nobody is asked to renew keys that are being renewed")
    func renewal() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let mine = try fixture.ask(1, .vault(.unlock), vault: await vaultActor.vaultID())
        try await vaultActor.begin(.renewal, for: mine)
        let refusal = try await fault { try await vaultActor.renewal.plan(in: vaultActor) }
        #expect(refusal.details.message == "the keys of your vault are being renewed already", "\(refusal)")
        fixture.challenges.drop(mine)
        #expect(try await vaultActor.renewal.plan(in: vaultActor).items.isEmpty)
        await vaultActor.close()
    }

    @Test("nobody is asked to make a vault that is being made")
    func creation() async throws {
        let fixture = try VaultFixture()
        let vaultActor = fixture.vaultStore.vaultActor(of: .user(Self.uid))
        let mine = try fixture.ask(Self.uid, .vault(.create))
        try await vaultActor.begin(.creation, for: mine)
        let refusal = try await fault { try await vaultActor.checkOwnerExists() }
        #expect(refusal.details.message == "your vault is being made already", "\(refusal)")
        fixture.challenges.drop(mine)
        try await vaultActor.checkOwnerExists()
        await vaultActor.close()
    }
}
