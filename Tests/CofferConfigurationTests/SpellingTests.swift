import Coffer
import CofferTestKit
import Configuration
import Testing

@testable import CofferConfiguration

/// The broker compares the bytes of names. Two that are equal in Unicode are two secrets.
@Suite("a provider takes no secret for another one that is equal in Unicode", .timeLimit(.minutes(30)))
struct SpellingTests {
    private static let names = ["\u{E9}", "e\u{301}"]
    private let keychain = Keychain(service: "server", backend: InMemoryKeychain(password: "sandbox"))

    private func known(_ name: String, in provider: KeychainProvider) throws -> ConfigContent? {
        try provider.value(forKey: AbsoluteConfigKey([name]), type: .string).value?.content
    }

    @Test("Each spelling has its own value, and is forgotten by itself")
    func twoValues() async throws {
        for (place, name) in Self.names.enumerated() { try await keychain.set("\(place)", for: name) }
        let provider = KeychainProvider(keychain)
        #expect(try await provider.preload().count == 2)
        let snapshot = provider.snapshot()
        for (place, name) in Self.names.enumerated() {
            let key = AbsoluteConfigKey([name])
            #expect(try known(name, in: provider) == .string("\(place)"))
            #expect(try snapshot.value(forKey: key, type: .string).value?.content == .string("\(place)"))
            #expect(try await provider.fetchValue(forKey: key, type: .string).value?.content == .string("\(place)"))
        }
        #expect(try await provider.forgetChanged() == false)
        let first = try await keychain.attributes(of: Self.names[0])
        provider.follow(.deleted(first))
        #expect(try known(Self.names[0], in: provider) == nil)
        #expect(try known(Self.names[1], in: provider) == .string("1"))
    }

    @Test("A secret that was never fetched is not there because of another spelling")
    func oneValue() async throws {
        try await keychain.set("s3cret", for: Self.names[0])
        let provider = KeychainProvider(keychain)
        #expect(try await provider.preload().count == 1)
        #expect(try known(Self.names[1], in: provider) == nil)
        #expect(try await provider.fetchValue(forKey: AbsoluteConfigKey([Self.names[1]]), type: .string).value == nil)
        // The other one's value stays.
        #expect(try known(Self.names[0], in: provider) == .string("s3cret"))
    }
}
