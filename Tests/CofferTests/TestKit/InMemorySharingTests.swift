import Coffer
import CofferTestKit
import Testing

/// A conflict between two machines in memory, as the broker would answer.
struct InMemorySharingTests {
    private let circle = InMemoryCircle()
    private let desk = InMemoryKeychain()
    private let laptop = InMemoryKeychain()

    init() {
        circle.join(desk, as: "desk")
        circle.join(laptop, as: "laptop")
    }

    private func keychain(_ backend: InMemoryKeychain) -> Keychain { Keychain(service: "app", backend: backend) }

    /// The desk's conflict. The laptop does not know of it yet.
    private func conflict() async throws -> ItemConflict {
        try await keychain(desk).set("before", for: "n")
        circle.exchange()
        try await keychain(desk).set("desk", for: "n")
        try await keychain(laptop).set("laptop", for: "n")
        circle.exchange(laptop)
        circle.exchange(desk)
        return try #require(try await keychain(desk).conflicts().first)
    }

    @Test func whileTheVaultIsLockedNobodyReadsOrDecides() async throws {
        let conflict = try await conflict()
        let keychain = keychain(desk)
        #expect(try await keychain.sharing().conflicts == 1)
        try await keychain.lock()
        for revision in conflict.revisions {
            #expect(await keychainCode { _ = try await keychain.bytes(of: revision, in: conflict) } == .locked)
            #expect(await keychainCode { try await keychain.resolve(conflict, taking: revision) } == .locked)
        }
        #expect(await keychainCode { _ = try await keychain.conflicts() } == .locked)
        #expect(try await keychain.sharing().conflicts == nil)
    }

    /// The laptop has replaced its own revision meanwhile, so this one is no longer one of several.
    @Test func aRevisionThatWasReplacedIsNotRead() async throws {
        let conflict = try await conflict()
        try await keychain(laptop).set("again", for: "n")
        circle.exchange(laptop)
        circle.exchange(desk)
        let keychain = keychain(desk)
        let present = try #require(try await keychain.conflicts().first)
        let old = try #require(conflict.revisions.first { !$0.isOwn })
        try #require(!present.revisions.contains { $0.id == old.id })
        for known in [conflict, present] {
            #expect(await keychainCode { _ = try await keychain.bytes(of: old, in: known) } == .changedMeanwhile)
            #expect(await keychainCode { try await keychain.resolve(known, taking: old) } == .changedMeanwhile)
        }
        for revision in present.revisions {
            let text = String(decoding: try await keychain.bytes(of: revision, in: present), as: UTF8.self)
            #expect(text == (revision.isOwn ? "desk" : "again"))
        }
    }

    /// Two services that are equal in Unicode have a share each.
    @Test func aShareIsOfTheServiceAsItIsSpelled() async throws {
        let value = [UInt8](repeating: 7, count: ItemLimits.settingValue)
        let services = ["\u{E9}", "e\u{301}"].map { Keychain(service: $0, itemClass: .setting, backend: desk) }
        let most = ItemLimits.settings.bytesOfService / ItemLimits.settingValue
        for number in 0..<most { try await services[0].set(value, for: "\(number)") }
        #expect(await keychainCode { try await services[0].set(value, for: "one more") } == .limitExceeded)
        try await services[1].set(value, for: "one more")
    }
}
