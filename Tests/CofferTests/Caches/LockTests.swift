import Synchronization
import Testing

@testable import Coffer
@testable import CofferCaches
@testable import CofferClient

/// Caches that hold values only while the vault is unlocked. The attacker reads the memory of a program after the vault was locked.
struct LockTests {
    let backend = ScriptedBackend()
    var keychain: Keychain { Keychain(service: "app", backend: backend) }
    /// Lets a cache listen anew.
    let gate = Gate()

    private func cache() async -> LRUCache<String, String> {
        let gate = gate
        return await LRUCache(limits: .standard, emptiesOnLockOf: keychain) {
            await gate.pass()
            try Task.checkCancellation()
        }
    }

    @Test("A lock empties the cache, and nothing is held until the vault is unlocked")
    func emptiesOnLock() async throws {
        let ended = Gate()
        let cache = await LRUCache<String, Witness>(emptiesOnLockOf: keychain)
        #expect(cache.set(Witness { ended.open() }, for: "a"))
        backend.setVault(.locked)
        #expect(try await eventually { ended.isOpen })
        #expect(cache.count == 0)
        #expect(cache.set(Witness {}, for: "b") == false)
        #expect(cache.value(for: "b") == nil)
        backend.setVault(.unlocked)
        #expect(try await eventually { cache.set(Witness {}, for: "b") })
    }

    @Test("A cache with lifetimes is emptied, too")
    func emptiesTTLCacheOnLock() async throws {
        let ended = Gate()
        let cache = await TTLCache<String, Witness>(
            lifetime: .seconds(1000), emptiesOnLockOf: keychain, clock: ManualClock())
        #expect(cache.set(Witness { ended.open() }, for: "a"))
        backend.setVault(.locked)
        #expect(try await eventually { ended.isOpen })
        #expect(cache.value(for: "a") == nil)
    }

    @Test("When the broker can no longer be heard, the cache is empty until it can be")
    func emptiesWhenEventsEnd() async throws {
        let cache = await cache()
        #expect(cache.set("v", for: "a"))
        backend.endEvents()
        #expect(try await eventually { cache.count == 0 })
        #expect(cache.set("v", for: "a") == false)
        gate.open()
        #expect(try await eventually { cache.set("w", for: "a") })
        #expect(cache.value(for: "a") == "w")
    }

    @Test("A cache that cannot listen from the beginning holds nothing")
    func failsClosed() async throws {
        backend.edit { $0.failure = KeychainError(.brokerUnreachable, "gone") }
        let cache = await cache()
        #expect(cache.set("v", for: "a") == false)
        #expect(cache.count == 0)
        backend.edit { $0.failure = nil }
        gate.open()
        #expect(try await eventually { cache.set("v", for: "a") })
    }

    @Test("A cache of a locked vault holds nothing", arguments: [VaultStatus.State.locked, .sealed, .none])
    func lockedFromTheBeginning(state: VaultStatus.State) async {
        backend.edit { $0.vault = state }
        let cache = await cache()
        #expect(cache.set("v", for: "a") == false)
        #expect(cache.value(for: "a") == nil)
    }

    @Test("After events were missed, the cache is empty, and open only if the vault is")
    func missedEvents() async throws {
        let ended = Gate()
        let cache = await LRUCache<String, Witness>(emptiesOnLockOf: keychain)
        cache.set(Witness { ended.open() }, for: "a")
        backend.edit { $0.vault = .locked }
        backend.tell(.missed)
        #expect(try await eventually { ended.isOpen })
        #expect(cache.set(Witness {}, for: "a") == false)
        backend.setVault(.unlocked)
        #expect(try await eventually { cache.set(Witness {}, for: "a") })
    }

    @Test("If the vault's state cannot be found out after missed events, the cache stays closed")
    func missedAndSilent() async throws {
        let cache = await cache()
        cache.set("v", for: "a")
        backend.edit { $0.failure = KeychainError(.brokerSilent, "silent") }
        backend.tell(.missed)
        #expect(try await eventually { cache.count == 0 })
        #expect(cache.set("v", for: "a") == false)
    }

    @Test("A cache that nobody uses any longer stops listening, and its values end")
    func ends() async throws {
        let ended = Gate()
        var cache: LRUCache<String, Witness>? = await LRUCache(emptiesOnLockOf: keychain)
        cache?.set(Witness { ended.open() }, for: "a")
        cache = nil
        #expect(try await eventually { ended.isOpen })
    }
}
