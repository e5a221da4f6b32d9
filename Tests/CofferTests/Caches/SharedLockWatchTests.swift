import Testing

@testable import Coffer
@testable import CofferCaches

/// Caches of one process, which listen together: the broker has only a few monitors for a user.
struct SharedLockWatchTests {
    let backend = ScriptedBackend()

    private func keychain(_ service: String = "app", group: String? = nil) -> Keychain {
        Keychain(service: service, group: group, backend: backend)
    }

    /// How often the backend was asked for events.
    private var monitors: Int { backend.edit { $0.listeners.count } }

    @Test("All caches of a vault take one monitor, and a lock empties each of them")
    func oneMonitor() async throws {
        var caches: [LRUCache<String, String>] = []
        for number in 0..<20 {
            caches.append(await LRUCache<String, String>(emptiesOnLockOf: keychain("app \(number)")))
        }
        let timed = await TTLCache<String, String>(
            lifetime: .seconds(1000), emptiesOnLockOf: keychain(), clock: ManualClock())
        for cache in caches { #expect(cache.set("v", for: "a")) }
        #expect(timed.set("v", for: "a"))
        #expect(monitors == 1)
        backend.setVault(.locked)
        #expect(try await eventually { caches.allSatisfy { $0.count == 0 } && timed.count == 0 })
        for cache in caches { #expect(!cache.set("w", for: "a")) }
        #expect(!timed.set("w", for: "a"))
    }

    @Test("Another vault, or another backend, has a monitor of its own")
    func otherVault() async {
        let own = await LRUCache<String, String>(emptiesOnLockOf: keychain())
        let team = await LRUCache<String, String>(emptiesOnLockOf: keychain(group: "team"))
        #expect(monitors == 2)
        let other = ScriptedBackend()
        let third = await LRUCache<String, String>(emptiesOnLockOf: Keychain(service: "app", backend: other))
        #expect(monitors == 2)
        #expect(other.edit { $0.listeners.count } == 1)
        for cache in [own, team, third] { #expect(cache.set("v", for: "a")) }
    }

    @Test("A cache that ends lets go of its values, and the others go on")
    func oneEnds() async throws {
        let ended = Gate()
        var first: LRUCache<String, Witness>? = await LRUCache<String, Witness>(emptiesOnLockOf: keychain())
        let second = await LRUCache<String, String>(emptiesOnLockOf: keychain())
        first?.set(Witness { ended.open() }, for: "a")
        first = nil
        #expect(try await eventually { ended.isOpen })
        #expect(second.set("v", for: "a"))
        #expect(monitors == 1)
        backend.setVault(.locked)
        #expect(try await eventually { second.count == 0 })
    }

    @Test("After the last cache has ended, the next one listens anew")
    func listensAnew() async {
        var cache: LRUCache<String, String>? = await LRUCache<String, String>(emptiesOnLockOf: keychain())
        #expect(cache?.set("v", for: "a") == true)
        cache = nil
        let next = await LRUCache<String, String>(emptiesOnLockOf: keychain())
        #expect(monitors == 2)
        #expect(next.set("v", for: "a"))
    }

    @Test("A cache that comes later begins as the vault is then")
    func comesLater() async throws {
        let first = await LRUCache<String, String>(emptiesOnLockOf: keychain())
        #expect(first.set("v", for: "a"))
        backend.setVault(.locked)
        #expect(try await eventually { first.count == 0 })
        let second = await LRUCache<String, String>(emptiesOnLockOf: keychain())
        #expect(!second.set("v", for: "a"))
        backend.setVault(.unlocked)
        #expect(try await eventually { first.set("v", for: "a") && second.set("v", for: "a") })
    }

    @Test("A monitor that nobody follows any longer is given back")
    func givesBack() async throws {
        let ended = Gate()
        let cache = await LRUCache<String, String>(limits: .standard, emptiesOnLockOf: keychain()) {
            try await Task.sleep(for: .milliseconds(1))
        }
        backend.edit { state in
            state.listeners[0].onTermination = { _ in ended.open() }
            // The vault's state cannot be found out, so the watch listens anew.
            state.failure = KeychainError(.failed, "busy")
        }
        backend.tell(.missed)
        #expect(try await eventually { ended.isOpen })
        backend.edit { $0.failure = nil }
        #expect(try await eventually { cache.set("v", for: "a") })
        #expect(monitors == 2)
    }

    @Test("Making a cache ends with its task, even if the broker does not answer")
    func cancelled() async throws {
        let (answer, made) = (Gate(), Gate())
        backend.edit { state in state.beforeEvents = { await answer.pass() } }
        let app = keychain()
        let task = Task {
            defer { made.open() }
            return await LRUCache<String, String>(emptiesOnLockOf: app)
        }
        #expect(try await eventually { answer.waiting == 1 })
        task.cancel()
        #expect(try await eventually { made.isOpen })
        answer.open()
        let cache = await task.value
        #expect(try await eventually { cache.set("v", for: "a") })
    }
}
