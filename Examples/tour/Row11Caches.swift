import Coffer
import CofferCaches
import Synchronization

/// The server of an application, which counts its requests and can be unreachable.
final class Server: RemoteSource {
    struct Offline: Error {}

    private let state = Mutex((values: ["42": "Kim"], requests: 0, isOnline: true))

    var requests: Int { state.withLock { $0.requests } }

    func setOnline(_ isOnline: Bool) { state.withLock { $0.isOnline = isOnline } }

    func fetch(_ keys: [String]) async throws -> [String: String] {
        try state.withLock { state in
            guard state.isOnline else { throw Offline() }
            state.requests += 1
            return state.values.filter { keys.contains($0.key) }
        }
    }

    func send(_ values: [String: String]) async throws {
        try state.withLock { state in
            guard state.isOnline else { throw Offline() }
            state.requests += 1
            state.values.merge(values) { $1 }
        }
    }
}

struct Row11Caches: Row {
    let number = 11
    let title = "Caches and cache policy"

    func run(_ stage: TourRow) async throws {
        let keychain = stage.keychain

        try await stage.verb("TTL: a value ends with its lifetime, in memory and in the vault") {
            let answers = TTLCache<String, Int>(lifetime: .seconds(3600))
            answers.set(42, for: "long")
            answers.set(43, for: "short", lifetime: .milliseconds(1))
            let kept = KeychainCache<Int>(name: "short", keychain: keychain, lifetime: .milliseconds(1))
            try await kept.set(43, for: "short")
            try await Task.sleep(for: .milliseconds(20))
            try expectEqual(answers.value(for: "long"), 42)
            try expectEqual(answers.value(for: "short"), nil)
            try expectEqual(try await kept.value(for: "short"), nil)
        }
        try await stage.verb("LRU: what was not used for the longest time leaves first") {
            let pictures = LRUCache<String, Int>(limits: CacheLimits(count: 2))
            pictures.set(1, for: "a")
            pictures.set(2, for: "b")
            _ = pictures.value(for: "a")
            pictures.set(3, for: "c")
            try expectEqual(pictures.value(for: "a"), 1)
            try expectEqual(pictures.value(for: "b"), nil)
            try expectEqual(pictures.value(for: "c"), 3)
        }
        try await stage.verb("a cache of secrets empties when the vault locks") {
            let secrets = await LRUCache<String, String>(emptiesOnLockOf: keychain)
            try await eventually { secrets.set("plain text", for: "message") }
            try await keychain.lock()
            try await eventually { secrets.count == 0 }
            try await keychain.unlock()
        }
        try await policies(stage)
        try await stage.verb("offline first: what the vault has is given while the server is away") {
            let server = Server()
            let cache = KeychainCache<String>(name: "profiles", keychain: keychain, lifetime: .seconds(3600))
            try expectEqual(try await Repository(source: server, cache: cache).value(for: "42"), "Kim")
            server.setOnline(false)
            // As after a restart of the application.
            let later = KeychainCache<String>(name: "profiles", keychain: keychain, lifetime: .seconds(3600))
            let profiles = Repository(source: server, cache: later)
            try expectEqual(try await profiles.value(for: "42", policy: .networkFirst), "Kim")
        }
    }

    private func policies(_ stage: TourRow) async throws {
        let server = Server()
        let profiles = Repository(source: server, cache: TTLCache<String, String>(lifetime: .seconds(3600)))
        try await stage.verb("cache only never asks the server; cache first does once") {
            try expectEqual(try await profiles.value(for: "42", policy: .cacheOnly), nil)
            try expectEqual(server.requests, 0)
            for _ in 0..<3 { try expectEqual(try await profiles.value(for: "42"), "Kim") }
            try expectEqual(server.requests, 1)
        }
        try await stage.verb("network first asks the server, and takes the cache if it is away; network only throws") {
            try expectEqual(try await profiles.value(for: "42", policy: .networkFirst), "Kim")
            try expectEqual(server.requests, 2)
            server.setOnline(false)
            try expectEqual(try await profiles.value(for: "42", policy: .networkFirst), "Kim")
            do {
                _ = try await profiles.value(for: "42", policy: .networkOnly)
                throw Unmet(description: "network only gave a value without the server")
            } catch is Server.Offline {}
            server.setOnline(true)
            try expectEqual(try await profiles.value(for: "42", policy: .networkOnly), "Kim")
        }
        try await stage.verb("force refresh asks the server even if the value is cached") {
            let before = server.requests
            try expectEqual(try await profiles.refresh("42"), "Kim")
            try expectEqual(server.requests, before + 1)
        }
        try await stage.verb("batch updates: one request, then the cache has the values") {
            let before = server.requests
            try await profiles.update(["42": "Kim B.", "43": "Robin"])
            let both = try await profiles.values(for: ["42", "43"])
            try expectEqual(both, ["42": "Kim B.", "43": "Robin"])
            try expectEqual(server.requests, before + 1)
        }
    }

    /// Waits for something that happens in the background.
    private func eventually(file: String = #fileID, line: Int = #line, _ condition: () -> Bool) async throws {
        for _ in 0..<500 {
            if condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Unmet(description: "it did not happen within 10 seconds: \(file):\(line)")
    }
}
