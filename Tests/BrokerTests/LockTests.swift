import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Vault

@testable import Broker

/// What a lock leaves in the broker's memory, seen from inside. From outside, a rule would refuse anyway.
struct LockTests {
    private let owner = Owner.user(ProcessSurroundings.effectiveUser)

    /// The actor of a new, unlocked vault, and the store of its challenges.
    private func unlocked() async throws -> (VaultActor, ChallengeStore, Caller, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: .system)
        let registry = Registry(directory: folder.path, authenticatorUID: ProcessSurroundings.effectiveUser)
        let sealer = SoftwareSealer(directory: folder.path)
        let vaultActor = VaultActor(
            owner: owner,
            dependencies: VaultDependencies(
                directory: folder.path, registry: registry, sealer: SealerService(sealer),
                challenges: store))
        let caller = Caller(
            uid: ProcessSurroundings.effectiveUser, process: try TestAuthenticator.thisProcess(), connection: 1)
        let key = try P256.PrivateKey.generate()
        let id = try store.issue(.create, to: caller, owner: caller.owner, vault: nil)
        let record = try await vaultActor.creation.provision(in: vaultActor, for: id, authenticatorKey: key.publicKey)
        try registry.write(record)
        _ = try await vaultActor.creation.adopt(in: vaultActor, for: id)
        let material = try await vaultActor.material(for: "")
        let root = try sealer.open(.unlockRoot, material.objects, record: record) { (request) throws(SigningRefusal) in
            do { return try key.signature(for: request.message()) } catch { throw SigningRefusal() }
        }
        try await vaultActor.unlock(with: root, for: id)
        return (vaultActor, store, caller, folder)
    }

    @Test("locking wipes the keys of the when-unlocked class and keeps those that outlive a lock")
    func wiped() async throws {
        let (vaultActor, _, _, folder) = try await unlocked()
        #expect(try #require(await vaultActor.open).keys.contains(.whenUnlocked))
        vaultActor.lock()
        let keys = try #require(await vaultActor.open).keys
        #expect(!keys.contains(.whenUnlocked) && keys.contains(.afterFirstUnlock) && keys.contains(.always))
        await vaultActor.close()
        withExtendedLifetime(folder) {}
    }

    @Test("a signature that comes after a lock opens nothing")
    func late() async throws {
        let (vaultActor, store, caller, folder) = try await unlocked()
        let id = try store.issue(.unlock, to: caller, owner: caller.owner, vault: nil)
        vaultActor.lock()
        await #expect(throws: Faults.challengeRefused) {
            try await vaultActor.unlock(with: SecretBytes.random(count: 32), for: id)
        }
        #expect(try await vaultActor.condition() == .locked)
        await vaultActor.close()
        withExtendedLifetime(folder) {}
    }
}
