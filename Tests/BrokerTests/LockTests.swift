import Authorization
import BrokerProtocol
import CofferTestKit
import Cryptography
import Foundation
import Platform
import Testing
import Vault

@testable import Broker

/// What a lock leaves in the broker's memory, seen from inside: from outside a rule would refuse anyway.
struct LockTests {
    private let owner = Owner.user(ProcessSurroundings.effectiveUser)

    /// A keeper whose vault was made and unlocked, and the book of its challenges.
    private func unlocked() async throws -> (VaultKeeper, ChallengeBook, Caller, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let book = ChallengeBook(limits: .init(openPerUser: 8, life: .seconds(60)), clock: .system)
        let registry = Registry(directory: folder.path, authenticatorUID: ProcessSurroundings.effectiveUser)
        let sealer = SoftwareSealer(directory: folder.path)
        let keeper = VaultKeeper(
            owner: owner,
            ground: VaultGround(
                directory: folder.path, registry: registry, sealer: sealer, sealerThread: SealerThread(),
                challenges: book))
        let caller = Caller(
            uid: ProcessSurroundings.effectiveUser, process: try TestAuthenticator.thisProcess(), connection: 1)
        let key = try P256.PrivateKey.generate()
        let id = try book.issue(to: caller, owner: caller.owner, vault: nil, purposes: [.create])
        let record = try await keeper.provision(for: id, authenticatorKey: key.publicKey)
        try registry.write(record)
        _ = try await keeper.adopt(for: id)
        let material = try await keeper.material(for: "")
        let root = try sealer.open(.unlockRoot, material.objects, record: record) { (request) throws(SigningRefusal) in
            do { return try key.signature(for: request.message()) } catch { throw SigningRefusal() }
        }
        try await keeper.unlock(with: root, for: id)
        return (keeper, book, caller, folder)
    }

    @Test("locking wipes the keys of the when-unlocked class and keeps those that outlive a lock")
    func wiped() async throws {
        let (keeper, _, _, folder) = try await unlocked()
        #expect(try #require(await keeper.open).keys.contains(.whenUnlocked))
        keeper.lock()
        let keys = try #require(await keeper.open).keys
        #expect(!keys.contains(.whenUnlocked) && keys.contains(.afterFirstUnlock) && keys.contains(.always))
        await keeper.close()
        withExtendedLifetime(folder) {}
    }

    @Test("a signature that comes after a lock opens nothing")
    func late() async throws {
        let (keeper, book, caller, folder) = try await unlocked()
        let id = try book.issue(to: caller, owner: caller.owner, vault: nil, purposes: [.unlock])
        keeper.lock()
        await #expect(throws: Faults.challengeRefused) {
            try await keeper.unlock(with: SecretBytes.random(count: 32), for: id)
        }
        #expect(try await keeper.condition() == .locked)
        await keeper.close()
        withExtendedLifetime(folder) {}
    }
}
