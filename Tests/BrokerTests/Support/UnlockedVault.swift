import Authorization
import BrokerProtocol
import Cryptography
import Platform
import TestSupport
import Vault

@testable import Broker

/// The actor of a new, unlocked vault, and the store of its challenges.
///
/// - Parameter budgets: nil: the vault keeps no item's key.
func unlockedVault(
    budgets: UserBudgets? = nil
) async throws -> (VaultActor, ChallengeStore, Caller, TemporaryFolder) {
    let uid = OwnProcess.effectiveUser
    let folder = try TemporaryFolder()
    let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(600)), clock: .system)
    let registry = Registry(directory: folder.path, authenticatorUID: uid)
    let sealer = SoftwareSealer(directory: folder.path)
    let vaultActor = VaultActor(
        owner: .user(uid),
        dependencies: VaultDependencies(
            directory: folder.path, registry: registry, sealer: SealerService(sealer), challenges: store,
            budgets: budgets))
    let caller = Caller(uid: uid, process: try TestAuthenticator.thisProcess(), connection: 1)
    let key = try P256.PrivateKey.generate()
    let id = try store.issue(.vault(.create), to: caller, owner: caller.owner, vault: nil)
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
