import Coffer
import CofferTestKit
import Configuration
import TestSupport
import Testing

@testable import CofferConfiguration

/// A secret that was replaced or deleted must not be given any longer.
@Suite("a provider forgets what nobody vouches for", .timeLimit(.minutes(30)))
struct ForgettingTests {
    private let keychain = Keychain(service: "server", backend: InMemoryKeychain(password: "sandbox"))

    private func known(_ name: String, in provider: KeychainProvider) throws -> ConfigContent? {
        try provider.value(forKey: AbsoluteConfigKey([name]), type: .string).value?.content
    }

    @Test("When a run ends, nothing is kept: no change would be heard any longer")
    func endOfRun() async throws {
        for name in ["a", "b"] { try await keychain.set("old", for: name) }
        let provider = KeychainProvider(keychain)
        #expect(try await provider.preload() == ["a", "b"])
        let running = Task { try await provider.run() }
        try await keychain.set("new", for: "b")
        // It is heard, or found by the first look. Either way, the run has begun.
        let limit = ContinuousClock.now + patience
        while try known("b", in: provider) != nil {
            try #require(ContinuousClock.now < limit, "the change was not noticed")
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(try known("a", in: provider) == .string("old"))
        running.cancel()
        try await running.value
        #expect(try known("a", in: provider) == nil)
    }

    @Test("A fetch that finds no item takes the former value away")
    func deleted() async throws {
        let provider = KeychainProvider(keychain)
        let key = AbsoluteConfigKey(["a"])
        try await keychain.set("old", for: "a")
        #expect(try await provider.fetchValue(forKey: key, type: .string).value?.content == .string("old"))
        try await keychain.delete("a")
        #expect(try await provider.fetchValue(forKey: key, type: .string).value == nil)
        #expect(try known("a", in: provider) == nil)
    }

    @Test("What was being read when changes were first heard is not remembered, because it may be old")
    func readBeforeHearing() async throws {
        try await keychain.set("old", for: "a", access: .whenUnlocked.requiring(.userPresence))
        let asked = AsyncStream<Void>.makeStream()
        let mayAnswer = AsyncStream<Void>.makeStream()
        let asking = keychain.prompting(
            .handler { message in
                guard message.wantsAnswer else { return nil }
                asked.continuation.finish()
                for await _ in mayAnswer.stream {}
                return "sandbox"
            })
        let provider = KeychainProvider(asking)
        let fetching = Task {
            try await provider.fetchValue(forKey: AbsoluteConfigKey(["a"]), type: .string).value?.content
        }
        for await _ in asked.stream {}
        #expect(try await provider.forgetChanged() == false)
        mayAnswer.continuation.finish()
        #expect(try await fetching.value == .string("old"))
        #expect(try known("a", in: provider) == nil)
        // The next one is.
        #expect(try await provider.fetchValue(forKey: AbsoluteConfigKey(["a"]), type: .string).value != nil)
        #expect(try known("a", in: provider) == .string("old"))
    }
}
