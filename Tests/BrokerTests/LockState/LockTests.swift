import Authorization
import BrokerProtocol
import Cryptography
import Platform
import TestSupport
import Testing
import Vault

@testable import Broker

/// What a lock leaves in the broker's memory, seen from inside. From outside, a rule would refuse anyway.
struct LockTests {
    @Test("locking wipes the keys of the when-unlocked class and keeps those that outlive a lock")
    func wiped() async throws {
        let (vaultActor, _, _, folder) = try await unlockedVault()
        #expect(try #require(await vaultActor.open).keys.contains(.whenUnlocked))
        vaultActor.lock()
        let keys = try #require(await vaultActor.open).keys
        #expect(!keys.contains(.whenUnlocked) && keys.contains(.afterFirstUnlock) && keys.contains(.always))
        await vaultActor.close()
        withExtendedLifetime(folder) {}
    }

    @Test("a signature that comes after a lock opens nothing")
    func late() async throws {
        let (vaultActor, store, caller, folder) = try await unlockedVault()
        let id = try store.issue(.vault(.unlock), to: caller, owner: caller.owner, vault: nil)
        vaultActor.lock()
        await #expect(throws: Faults.challengeRefused) {
            try await vaultActor.unlock(with: SecretBytes.random(count: 32), for: id)
        }
        #expect(try await vaultActor.condition() == .locked)
        await vaultActor.close()
        withExtendedLifetime(folder) {}
    }
}
