import Coffer
import CofferTestKit
import Foundation
import Synchronization
import Testing

@testable import CredentialHelpers

/// git's passwords expire. The entry does not: what a person has added to it stays.
@Suite struct GitDateTests {
    /// The time of a test, for the helper and its keychain.
    private final class Clock: Sendable {
        private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

        var now: Date { time.withLock { $0 } }

        func pass(_ seconds: Double) { time.withLock { $0 += seconds } }
    }

    private let clock: Clock
    private let backend: InMemoryKeychain
    private let place = "protocol=https\nhost=example.com\n"
    private let dated = "username=me\npassword=one\npassword_expiry_utc=1800000010\n"

    init() {
        let clock = Clock()
        self.clock = clock
        backend = InMemoryKeychain(password: "pw", person: .answers("pw"), now: { clock.now })
    }

    private func helper(_ access: AccessControl? = nil) -> GitHelper {
        let clock = clock
        return GitHelper(
            store: EntryStore(
                application: "git", vault: .own, newAccess: access, backend: backend, now: { clock.now }))
    }

    private func store(_ lines: String, _ access: AccessControl? = nil) async throws {
        try await helper(access).store(GitRequestReaderTests.read(place + lines))
    }

    private func get() async throws -> String {
        String(decoding: try await helper().get(GitRequestReaderTests.read(place)), as: UTF8.self)
    }

    private func erase(_ lines: String) async throws {
        try await helper().erase(GitRequestReaderTests.read(place + lines))
    }

    private var item: ItemAttributes {
        get async throws { try #require(try await backend.items(matching: ItemQuery(), in: .own).first) }
    }

    private let notes = Array("PIN 4711".utf8)

    private func addNotes() async throws {
        var new = NewItem(value: notes)
        new.field = .notes
        _ = try await backend.set(item.name, to: new, if: .isPresent, prompts: .never, in: .own)
    }

    private func expectNotes() async throws {
        let found = try await backend.read([.notes], of: item.name, ReadRequest(prompts: .never), in: .own)
        #expect(found.map(\.value) == [notes])
    }

    /// Makes of the entry what an earlier version has stored: the item itself expires.
    private func makeOld() async throws {
        let edit = ItemEdit(attributes: ["password_expiry_utc": ""], expiry: .at(clock.now + 10))
        _ = try await backend.edit(item.name, edit, ReadRequest(), in: .own)
    }

    @Test func whatAPersonAddsOutlivesAPasswordThatExpires() async throws {
        try await store(dated)
        #expect(try await item.expires == nil)
        #expect(try await item.attributes["password_expiry_utc"] == "1800000010")
        try await addNotes()
        #expect(try await get() == dated)
        clock.pass(60)
        #expect(try await get() == "")
        try await expectNotes()
        try await store("username=me\npassword=two\npassword_expiry_utc=1800000100\n")
        #expect(try await get() == "username=me\npassword=two\npassword_expiry_utc=1800000100\n")
        try await expectNotes()
        clock.pass(60)
        try await store("username=me\npassword=three\n")
        #expect(try await get() == "username=me\npassword=three\n")
        #expect(try await item.attributes["password_expiry_utc"] == nil)
        try await expectNotes()
    }

    @Test func theDateGoesWithThePasswordThatIsErased() async throws {
        try await store(dated.replacing("one\n", with: "one\noauth_refresh_token=r\n"))
        try await addNotes()
        try await erase("password=one\n")
        #expect(try await item.fields.map(\.name) == [.notes])
        #expect(try await item.attributes["password_expiry_utc"] == nil)
        clock.pass(60)
        try await expectNotes()
        #expect(try await get() == "")
    }

    /// git would get nothing for the answer. The refresh token is good for longer, so a person is asked for it.
    @Test func nobodyIsAskedForAPasswordThatHasExpired() async throws {
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        try await store(dated, gated)
        clock.pass(60)
        #expect(try await get() == "")
        #expect(backend.shownMessages.isEmpty)
        try await store(
            "username=you\npassword=one\noauth_refresh_token=r\npassword_expiry_utc=1800000070\n", gated)
        clock.pass(60)
        #expect(try await get() == "username=you\noauth_refresh_token=r\n")
        #expect(!backend.shownMessages.isEmpty)
    }

    // MARK: Entries of earlier versions

    @Test func anOldEntryIsGivenUntilItsDate() async throws {
        try await store(dated)
        try await makeOld()
        #expect(try await get() == dated)
        clock.pass(60)
        #expect(try await get() == "")
        try await store("username=me\npassword=two\n")
        #expect(try await get() == "username=me\npassword=two\n")
        #expect(try await item.expires == nil)
    }

    @Test func theSameLoginTakesTheDateFromAnOldEntry() async throws {
        try await store(dated)
        try await addNotes()
        try await makeOld()
        try await store(dated)
        #expect(try await item.expires == nil)
        #expect(try await item.attributes["password_expiry_utc"] == "1800000010")
        clock.pass(60)
        try await expectNotes()
    }

    @Test func anErasureTakesTheDateFromAnOldEntry() async throws {
        try await store(dated)
        try await addNotes()
        try await makeOld()
        try await erase("password=one\n")
        #expect(try await item.expires == nil)
        clock.pass(60)
        try await expectNotes()
    }
}
