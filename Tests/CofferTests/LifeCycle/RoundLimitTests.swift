import BrokerProtocol
import TestSupport
import Testing

@testable import Coffer
@testable import CofferCaches
@testable import CofferClient
@testable import CofferSessions

/// How often something begins again because others change the same.
@Suite("What others change again and again is given up after so many rounds")
struct RoundLimitTests {
    /// A broker for which somebody else was faster so many times, and then nobody.
    private static func contested(_ times: Int) throws -> PlayedBroker {
        let refused = FakeServer.Step.fault(.changed, "somebody was faster")
        let stored = FakeServer.Step.answer(Wire.Set.Reply(item: PlayedBroker.item()))
        return try PlayedBroker([
            "Show": [.answer(Wire.ItemReply(item: PlayedBroker.item()))],
            "Get": [.answer(Wire.Get.Reply(value: "QUI=", item: PlayedBroker.item()))],
            "Set": Array(repeating: refused, count: times) + [stored],
        ])
    }

    @Test(
        "a temporary secret: 1000",
        arguments: [(999, nil), (1000, .changedMeanwhile)] as [(Int, KeychainError.Code?)])
    func temporary(times: Int, code: KeychainError.Code?) async throws {
        let broker = try Self.contested(times)
        let keychain = broker.keychain()
        let found = await keychainCode {
            _ = try await keychain.setTemporary("x", for: "me", lifetime: .seconds(60))
        }
        #expect(found == code)
        #expect(broker.server.calls("Set").count == 1000)
    }

    @Test(
        "a change of a value: 1000",
        arguments: [(999, nil), (1000, .changedMeanwhile)] as [(Int, KeychainError.Code?)])
    func change(times: Int, code: KeychainError.Code?) async throws {
        let broker = try Self.contested(times)
        let keychain = broker.keychain()
        let found = await keychainCode {
            _ = try await keychain.update(for: "me") { _ in "x" }
        }
        #expect(found == code)
        #expect(broker.server.calls("Set").count == 1000)
    }

    @Test("an item that was stored after the read has found none is not overwritten")
    func storedSinceTheRead() async throws {
        let broker = try PlayedBroker([
            "Get": [
                .fault(.notFound, "there is none"),
                .answer(Wire.Get.Reply(value: "QUI=", item: PlayedBroker.item())),
            ],
            "Show": [.answer(Wire.ItemReply(item: PlayedBroker.item()))],
            "Set": [
                .fault(.alreadyExists, "it is there"), .answer(Wire.Set.Reply(item: PlayedBroker.item())),
            ],
        ])
        try await broker.keychain().update(for: "me") { old in (old ?? "") + "!" }
        let sets = try broker.server.calls("Set").map { try #require(try $0.parameters(Wire.Set.self)) }
        #expect(sets.map(\.mode) == [.new, nil])
        #expect(sets.map(\.ifRevision) == [nil, "r1"])
        #expect(sets.map(\.value) == ["IQ==", "QUIh"])
    }

    /// Another program saves another login before each of the next reads.
    private static func replace(_ session: CredentialSession, _ backend: ScriptedBackend, _ times: Int) {
        guard times > 0 else { return }
        backend.edit { state in
            state.beforeRead = {
                try await session.save(Credentials(password: "p\(times)"))
                Self.replace(session, backend, times - 1)
            }
        }
    }

    @Test("reading a login: 8", arguments: [(7, nil), (8, .changedMeanwhile)] as [(Int, KeychainError.Code?)])
    func login(times: Int, code: KeychainError.Code?) async throws {
        let backend = ScriptedBackend()
        let session = CredentialSession(keychain: Coffer.Keychain(service: "app", backend: backend), now: backend.now)
        try await session.save(Credentials(password: "first"))
        Self.replace(session, backend, times)
        let found = await keychainCode {
            let loaded = try await session.load()
            #expect(loaded.password == "p1")
        }
        #expect(found == code)
        #expect(backend.edit { $0.reads.count } == 8)
    }

    /// Before each of the next reads, the value that was looked up leaves the cache, and that of another key comes.
    private static func move(_ cache: KeychainCache<Int>, _ backend: ScriptedBackend, _ times: Int) {
        guard times > 0 else { return }
        backend.edit { state in
            state.beforeRead = {
                try await cache.forget(["\(times)"])
                try await cache.set(times, for: "\(times - 1)")
                Self.move(cache, backend, times - 1)
            }
        }
    }

    @Test("reading a cache: 8", arguments: [(7, ["0": 1]), (8, [:])] as [(Int, [String: Int])])
    func cache(times: Int, found: [String: Int]) async throws {
        let backend = ScriptedBackend()
        let cache = KeychainCache<Int>(
            name: "c", keychain: Coffer.Keychain(service: "app", backend: backend), lifetime: .seconds(60),
            now: backend.now)
        try await cache.set(0, for: "\(times)")
        Self.move(cache, backend, times)
        #expect(try await cache.values(for: (0...times).map { "\($0)" }) == found)
        #expect(backend.edit { $0.reads.count } == 8)
    }
}
