import Authorization
import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// What changes a vault as a whole does so alone.
struct VaultOperationTests {
    private static let kinds: [VaultOperation.Kind] = [.creation, .enrolment, .replacement, .approval, .renewal]
    private let challenges = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: .system)

    private func vaultActor() throws -> (VaultActor, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let uid = OwnProcess.effectiveUser
        let dependencies = VaultDependencies(
            directory: folder.path, registry: Registry(directory: folder.path, authenticatorUID: uid),
            sealer: SealerService(SoftwareSealer(directory: folder.path)), challenges: challenges)
        return (VaultActor(owner: .user(uid), dependencies: dependencies), folder)
    }

    private func challenge() throws -> Challenge.ID {
        let uid = OwnProcess.effectiveUser
        let caller = Caller(uid: uid, process: try TestAuthenticator.thisProcess(), connection: 1)
        return try challenges.issue(.vault(.create), to: caller, owner: caller.owner, vault: nil)
    }

    @Test("no operation begins beside another challenge's, of the same kind or another", arguments: kinds, kinds)
    func alone(_ first: VaultOperation.Kind, _ second: VaultOperation.Kind) async throws {
        let (vaultActor, folder) = try vaultActor()
        let (mine, theirs) = (try challenge(), try challenge())
        try await vaultActor.begin(first, for: mine)
        let refusal = await #expect(throws: Fault.self) { try await vaultActor.begin(second, for: theirs) }
        #expect(refusal?.name == .failed)
        #expect(await vaultActor.isUnderWay(for: mine))
        #expect(await !vaultActor.isUnderWay(for: theirs))
        withExtendedLifetime(folder) {}
    }

    @Test("an operation goes on in the next call of its challenge, and is over with the challenge")
    func life() async throws {
        let (vaultActor, folder) = try vaultActor()
        let (mine, theirs) = (try challenge(), try challenge())
        try await vaultActor.begin(.replacement, for: mine)
        try await vaultActor.begin(.replacement, for: mine)
        challenges.drop(mine)
        #expect(await !vaultActor.isUnderWay(for: mine))
        try await vaultActor.begin(.renewal, for: theirs)
        #expect(await vaultActor.isUnderWay(for: theirs))
        // What the first left behind must not end what the second has begun.
        await vaultActor.endOperation(of: mine)
        #expect(await vaultActor.isUnderWay(for: theirs))
        withExtendedLifetime(folder) {}
    }

    @Test("an operation without a challenge keeps all others away until its call ends")
    func withinACall() async throws {
        let (vaultActor, folder) = try vaultActor()
        let mine = try challenge()
        try await vaultActor.begin(.approval, for: nil)
        await #expect(throws: Fault.self) { try await vaultActor.begin(.approval, for: nil) }
        await #expect(throws: Fault.self) { try await vaultActor.begin(.replacement, for: mine) }
        await vaultActor.endOperation(of: nil)
        try await vaultActor.begin(.replacement, for: mine)
        withExtendedLifetime(folder) {}
    }
}
