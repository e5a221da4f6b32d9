import Authorization
import BrokerProtocol
import Testing
import Varlink
import Vault

@testable import Broker

/// The key of the enrolled fingers: when it is made, and when it is used.
@Suite(.timeLimit(.minutes(10)))
struct FingerKeyTests {
    private let fixture: VaultFixture
    private let sealer: ScriptedSealer
    private let one = [UInt8](repeating: 1, count: 32)
    private let other = [UInt8](repeating: 2, count: 32)

    init() throws {
        var scripted: ScriptedSealer?
        fixture = try VaultFixture {
            let sealer = ScriptedSealer($0)
            scripted = sealer
            return sealer
        }
        sealer = try #require(scripted)
    }

    /// A user's vault, and a challenge about an enrolment.
    private func prepared() async throws -> (VaultActor, Challenge.ID) {
        let vaultActor = try await fixture.make(1)
        let vault = try await vaultActor.vaultID()
        return (vaultActor, try fixture.ask(1, .enrolment([.biometryCurrentSet]), vault: vault))
    }

    private func provide(_ digest: [UInt8], _ vaultActor: VaultActor, _ id: Challenge.ID) async throws -> [UInt8] {
        try await vaultActor.fingers.provideSetKey(in: vaultActor, for: id, digest)
    }

    @Test("the key of the same fingers is used again, and is made anew if others came or the file has another")
    func again() async throws {
        let (vaultActor, id) = try await prepared()
        let first = try await provide(one, vaultActor, id)
        let made = try #require(await vaultActor.open).record
        let record = made.with(biometrySet: one, key: first)
        try fixture.dependencies.registry.replace(made, with: record)
        try await vaultActor.fingers.adoptSetKey(in: vaultActor, for: id)
        let kind = await vaultActor.operation?.kind
        #expect(kind == nil)
        #expect(try await provide(one, vaultActor, id) == first)
        #expect(sealer.madeSetKeys == 1)
        let second = try await provide(other, vaultActor, id)
        #expect(second != first)
        #expect(sealer.madeSetKeys == 2)
        // The file now has another key than the registry names.
        let third = try await provide(one, vaultActor, id)
        #expect(third != first && third != second)
        #expect(sealer.madeSetKeys == 3)
        let refused = try await fault { try await vaultActor.fingers.adoptSetKey(in: vaultActor, for: id) }
        #expect(refused.name == .notPermitted)
        await vaultActor.close()
    }

    @Test("a key is not stored if its challenge has ended while it was made")
    func ended() async throws {
        let (vaultActor, id) = try await prepared()
        let before = try #require(await vaultActor.open).vault.objects
        sealer.script.withLock { [challenges = fixture.challenges] in
            $0.makingSetKey = { challenges.drop(id) }
        }
        let refused = try await fault { try await provide(one, vaultActor, id) }
        #expect(refused.name == .challengeRefused)
        #expect(sealer.madeSetKeys == 1)
        let after = try #require(await vaultActor.open).vault.objects
        #expect(after == before)
        await vaultActor.close()
    }
}
