import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferCaches
@testable import CofferClient
@testable import CofferSessions

/// Data of a service outside of its keychain.
final class ScriptedData: ServiceData {
    struct Stuck: Error, CustomStringConvertible {
        var description: String { "stuck" }
    }

    private let state = Mutex((deleted: [String](), isStuck: false))

    var deleted: [String] { state.withLock { $0.deleted } }

    func stick(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }

    func deleteEverything(of service: String) async throws {
        try state.withLock { state in
            if state.isStuck { throw Stuck() }
            state.deleted.append(service)
        }
    }
}

struct LifeCycleTests {
    let backend = ScriptedBackend()
    let settings = ScriptedData()
    let files = ScriptedData()
    let cache = LRUCache<String, String>()
    var keychain: Keychain { Keychain(service: "app", backend: backend) }
    var session: CredentialSession { CredentialSession(keychain: keychain) }
    var life: ServiceLifeCycle {
        ServiceLifeCycle(
            keychain: keychain, sessions: [session, CredentialSession(keychain: keychain, profile: "work")],
            personal: [cache], lasting: [settings, files])
    }

    private func fill() async throws {
        try await session.save(Credentials(accessToken: "a", password: "p"))
        try await CredentialSession(keychain: keychain, profile: "work").save(Credentials(apiKey: "k"))
        try await keychain.set("s", for: "other")
        for itemClass in ItemClass.allCases { try await keychain.items(ofClass: itemClass).set("v", for: "x") }
        try await keychain.of(service: "neighbour").set("n", for: "x")
        cache.set("v", for: "k")
    }

    @Test("A temporary secret is for this device only, and ends by itself")
    func temporary() async throws {
        let item = try await keychain.setTemporary(
            "t", for: "upload", lifetime: .seconds(60), access: .afterFirstUnlock)
        #expect(item.access == .afterFirstUnlock.thisDeviceOnly)
        #expect(try await keychain.string(for: "upload") == "t")
        backend.advance(by: 60)
        #expect(await keychainCode { _ = try await keychain.string(for: "upload") } == .notFound)
        let again = try await keychain.setTemporary("u", for: "upload", lifetime: .seconds(60))
        #expect(again.access == item.access, "the expired one's")
        #expect(try await keychain.string(for: "upload") == "u")
        // A write that names no access control loosens nothing.
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        try await keychain.set("a", for: "gated", access: gated)
        let kept = try await keychain.setTemporary("b", for: "gated", lifetime: .seconds(60))
        #expect(kept.access == gated.thisDeviceOnly)
        let new = try await keychain.setTemporary("b", for: "new", lifetime: .seconds(60))
        #expect(new.access == .whenUnlocked.thisDeviceOnly)
        for lifetime in [Duration.zero, .seconds(-1)] {
            let code = await keychainCode {
                try await keychain.setTemporary([1], for: "upload", lifetime: lifetime)
            }
            #expect(code == .invalidArgument)
        }
    }

    @Test("A logout ends every login and empties caches; settings, files and other items stay")
    func logout() async throws {
        try await fill()
        try await life.logout()
        #expect(try await session.isLoggedIn == false)
        #expect(try await keychain.accounts() == ["other", "x"])
        #expect(cache.count == 0)
        #expect(settings.deleted.isEmpty && files.deleted.isEmpty)
    }

    /// The services of the items that are left. Settings are not among them: `SyncedSettings` deletes its own.
    private var services: [String] {
        backend.edit { state in state.items.keys.filter { $0.itemClass != .setting }.map(\.service) }
    }

    @Test("Deleting an account leaves nothing of the service but synced settings, and all of its neighbour")
    func deleteEverything() async throws {
        try await fill()
        // More than one request takes.
        try await keychain.apply((0..<300).map { ItemChange(keychain.name("\($0)"), .set(NewItem(value: [1]))) })
        try await life.deleteEverything()
        #expect(services == ["neighbour"])
        #expect(try await keychain.items(ofClass: .setting).accounts() == ["x"])
        #expect(cache.count == 0)
        #expect(settings.deleted == ["app"] && files.deleted == ["app"])
        try await life.deleteEverything()
    }

    @Test("What fails keeps nothing else from being deleted, is named, and goes the next time")
    func partialFailure() async throws {
        try await fill()
        settings.stick(true)
        backend.edit { $0.failure = KeychainError(.brokerUnreachable, "the broker is not running") }
        do {
            try await life.deleteEverything()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.failures.map(\.data) == ["Keychain", "ScriptedData"])
            #expect(error.description.contains("the broker is not running"))
        }
        #expect(files.deleted == ["app"] && cache.count == 0)
        settings.stick(false)
        backend.edit { $0.failure = nil }
        try await life.deleteEverything()
        #expect(services == ["neighbour"])
        #expect(settings.deleted == ["app"])
    }

    @Test("A logout that fails names the login, and empties the caches all the same")
    func failingLogout() async throws {
        try await fill()
        backend.edit { $0.failingChange = 1 }
        do {
            try await life.logout()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.failures.map(\.data) == ["CredentialSession", "CredentialSession"])
        }
        #expect(cache.count == 0)
        #expect(try await session.load().password == "p")
    }

    @Test("Caches and repositories are data of the service, too")
    func caches() async throws {
        let kept = KeychainCache<Int>(name: "c", keychain: keychain, lifetime: .seconds(60), now: backend.now)
        let timed = TTLCache<String, Int>(lifetime: .seconds(60))
        let inner = LRUCache<String, Int>()
        let repository = Repository(source: ClosureSource<String, Int> { _ in 1 }, cache: inner)
        try await kept.set(1, for: "a")
        timed.set(1, for: "a")
        _ = try await repository.value(for: "a")
        try await ServiceLifeCycle(keychain: keychain, personal: [kept, timed, repository]).logout()
        #expect(try await kept.value(for: "a") == nil)
        #expect(timed.count == 0 && inner.count == 0)
    }
}
