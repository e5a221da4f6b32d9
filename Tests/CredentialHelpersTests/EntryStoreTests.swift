import Coffer
import CofferTestKit
import Foundation
import Testing

@testable import CredentialHelpers

/// What the helpers do when a call fails, or when another program changes an entry meanwhile.
@Suite struct EntryStoreTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let backend = WatchedBackend(
        InMemoryKeychain(password: "pw", person: .answers("pw"), now: { EntryStoreTests.now }))
    private let place = "protocol=https\nhost=example.com\n"

    private var git: GitHelper {
        GitHelper(store: EntryStore(application: "git", vault: .own, backend: backend, now: { Self.now }))
    }

    private var docker: DockerHelper {
        DockerHelper(store: EntryStore(application: "docker", vault: .own, backend: backend, now: { Self.now }))
    }

    private func store(_ lines: String) async throws { try await git.store(GitRequestReaderTests.read(lines)) }

    private func erase(_ lines: String) async throws { try await git.erase(GitRequestReaderTests.read(lines)) }

    private func get(_ lines: String) async throws -> String {
        String(decoding: try await git.get(GitRequestReaderTests.read(lines)), as: UTF8.self)
    }

    private var items: [ItemAttributes] {
        get async throws { try await backend.items(matching: ItemQuery(), in: .own) }
    }

    @Test func anEntryThatIsErasedMeanwhileIsAsGoodAsNone() async throws {
        try await store(place + "username=me\npassword=p\n")
        _ = backend.takeCalls()
        backend.fail(.read, .notFound)
        #expect(try await get(place) == "")
        // It is not tried again.
        #expect(backend.takeCalls() == [.read])
        try await docker.add(DockerCredentials(serverURL: "h", username: "me", secret: "s"))
        backend.fail(.read, .notFound)
        await #expect {
            try await docker.get("h")
        } throws: { error in
            (error as? KeychainError)?.code == .notFound && "\(error)" == "credentials not found in native keychain"
        }
    }

    @Test(arguments: [KeychainError.Code.cancelled, .damaged, .timedOut])
    func anotherErrorIsTold(code: KeychainError.Code) async throws {
        try await store(place + "username=me\npassword=p\n")
        try await docker.add(DockerCredentials(serverURL: "h", username: "me", secret: "s"))
        // A locked vault is not the reason of every failure.
        try await backend.lock(.own)
        backend.fail(.read, code, times: 2)
        await #expect(throws: KeychainError(code, "")) { try await get(place) }
        await #expect(throws: KeychainError(code, "")) { try await docker.get("h") }
        _ = backend.takeCalls()
        #expect(try await get(place) == "username=me\npassword=p\n")
        #expect(backend.takeCalls() == [.read])
    }

    @Test func anErasureBeginsAgainIfAnEntryChangesMeanwhile() async throws {
        try await store(place + "username=me\npassword=p\n")
        _ = backend.takeCalls()
        backend.fail(.apply, .changedMeanwhile, times: 2)
        try await erase(place + "password=p\n")
        #expect(backend.takeCalls() == [.read, .apply, .read, .apply, .read, .apply])
        #expect(try await items.isEmpty)
    }

    @Test func anErasureDoesNotBeginAgainForEver() async throws {
        try await store(place + "username=me\npassword=p\n")
        _ = backend.takeCalls()
        backend.fail(.apply, .changedMeanwhile, times: CredentialCallLimits.attempts)
        await #expect(throws: KeychainError(.changedMeanwhile, "")) { try await erase(place + "password=p\n") }
        #expect(backend.takeCalls().count { $0 == .apply } == CredentialCallLimits.attempts)
        backend.fail(.apply, .failed)
        await #expect(throws: KeychainError(.failed, "")) { try await erase(place + "password=p\n") }
        #expect(backend.takeCalls() == [.read, .apply])
        #expect(try await items.count == 1)
    }

    /// An entry that is stored again between the comparison and the erasure is another one.
    @Test func whatIsStoredMeanwhileIsNotErased() async throws {
        try await store(place + "username=me\npassword=p\n")
        let old = try #require(try await items.first)
        try await store(place + "username=me\npassword=q\n")
        let store = EntryStore(application: "git", vault: .own, backend: backend, now: { Self.now })
        await #expect(throws: KeychainError(.changedMeanwhile, "")) {
            try await store.delete([ItemChange(old.name, .delete, if: .isUnchanged(since: old))])
        }
        #expect(try await get(place) == "username=me\npassword=q\n")
    }

    /// Stores a field as a person does, or another helper.
    private func set(_ field: FieldName, _ value: String) async throws {
        var new = NewItem(value: Array(value.utf8))
        new.field = field
        let name = try #require(try await items.first).name
        _ = try await backend.keychain.set(name, to: new, if: .isPresent, prompts: .never, in: .own)
    }

    /// The same for an entry with a person's field. Only git's own parts go.
    @Test func whatIsStoredMeanwhileStaysBesideAPersonsField() async throws {
        try await store(place + "username=me\npassword=p\n")
        try await set("pin", "1234")
        _ = backend.takeCalls()
        backend.before(.edit) { try await set(.secret, "q") }
        try await erase(place + "password=p\n")
        #expect(backend.takeCalls() == [.read, .edit, .read])
        #expect(try await get(place) == "username=me\npassword=q\n")
        // The one that is refused goes, and the person's field stays.
        try await erase(place + "password=q\n")
        #expect(try await items.first?.fields.map(\.name) == ["pin"])
        // What changes each time is an error in the end.
        try await store(place + "username=me\npassword=p\n")
        for _ in 0..<CredentialCallLimits.attempts { backend.before(.edit) { try await set("pin", "1234") } }
        await #expect(throws: KeychainError(.changedMeanwhile, "")) { try await erase(place + "password=p\n") }
        #expect(try await get(place) == "username=me\npassword=p\n")
    }

    /// Each of two logins drops what is left of the one before it. The later one stays whole.
    @Test func aLoginDropsNothingOfTheOneThatComesMeanwhile() async throws {
        let can = "capability[]=authtype\n"
        let bearer = "username=me\nauthtype=Bearer\ncredential=c\n"
        try await store(place + "username=me\npassword=p\n")
        _ = backend.takeCalls()
        let other = GitHelper(
            store: EntryStore(application: "git", vault: .own, backend: backend.keychain, now: { Self.now }))
        let login = place + "username=me\npassword=q\n"
        // Between the credential, and the end of the password that it replaces.
        backend.before(.edit) { try await other.store(GitRequestReaderTests.read(login)) }
        try await store(can + place + bearer)
        #expect(backend.takeCalls() == [.apply, .edit, .apply, .edit])
        #expect(try await Set(#require(items.first).fields.map(\.name)) == ["authtype", "credential"])
        #expect(try await get(can + place) == can + bearer)
    }

    /// A change of access is not made on a condition, as the broker has it.
    @Test func anEditIsMadeOnlyToWhatWasLookedAt() async throws {
        try await store(place + "username=me\npassword=p\n")
        let old = try #require(try await items.first)
        func edit(_ edit: ItemEdit, _ condition: ItemChange.Condition) async throws(KeychainError) {
            _ = try await backend.keychain.edit(
                old.name, edit, ReadRequest(prompts: .never), if: condition, in: .own)
        }
        let unchanged = ItemChange.Condition.isUnchanged(since: old)
        await #expect(throws: KeychainError(.invalidArgument, "")) {
            try await edit(ItemEdit(access: .whenUnlocked), unchanged)
        }
        try await edit(ItemEdit(label: "one"), unchanged)
        await #expect(throws: KeychainError(.changedMeanwhile, "")) {
            try await edit(ItemEdit(label: "two"), unchanged)
        }
        #expect(try await items.first?.label == "one")
        try await edit(ItemEdit(label: "two"), .none)
        #expect(try await items.first?.label == "two")
        _ = try await backend.keychain.apply([ItemChange(old.name, .delete)], prompts: .never, in: .own)
        await #expect(throws: KeychainError(.changedMeanwhile, "")) {
            try await edit(ItemEdit(label: "x"), unchanged)
        }
        await #expect(throws: KeychainError(.notFound, "")) { try await edit(ItemEdit(label: "x"), .none) }
    }

    @Test func whatCannotBeStoredIsAnError() async throws {
        backend.fail(.set, .failed)
        await #expect(throws: KeychainError(.failed, "")) { try await store(place + "username=me\npassword=p\n") }
        backend.fail(.apply, .failed)
        await #expect(throws: KeychainError(.failed, "")) {
            try await store(place + "username=me\npassword=p\noauth_refresh_token=r\n")
        }
        #expect(try await items.isEmpty)
    }

    /// A program that ends in between leaves no token of the former login beside the new password.
    @Test func theFormerLoginGoesBeforeTheNewOneComes() async throws {
        try await store(place + "username=me\npassword=one\noauth_refresh_token=r\n")
        _ = backend.takeCalls()
        backend.fail(.edit, .failed)
        await #expect(throws: KeychainError(.failed, "")) { try await store(place + "username=me\npassword=two\n") }
        #expect(backend.takeCalls() == [.read, .edit])
        #expect(try await get(place) == "username=me\npassword=one\noauth_refresh_token=r\n")
        _ = backend.takeCalls()
        try await store(place + "username=me\npassword=two\n")
        #expect(backend.takeCalls() == [.read, .edit, .set])
        #expect(try await get(place) == "username=me\npassword=two\n")
    }

    /// An item has at least one field, so a password that a credential replaces can only go after it.
    @Test func aPasswordGoesAfterTheCredentialThatReplacesIt() async throws {
        let can = "capability[]=authtype\n"
        try await store(place + "username=me\npassword=p\n")
        _ = backend.takeCalls()
        let credential = can + place + "username=me\nauthtype=Bearer\ncredential=c\n"
        try await store(credential)
        #expect(backend.takeCalls() == [.apply, .edit])
        let found = try await items
        let item = try #require(found.first)
        #expect(Set(item.fields.map(\.name)) == ["authtype", "credential"])
        try await store(place + "username=me\npassword=p\n")
        #expect(try await items.first?.fields.map(\.name) == [.secret])
        backend.fail(.edit, .failed)
        await #expect(throws: KeychainError(.failed, "")) { try await store(credential) }
        // The interruption has left the password. It is not given out.
        #expect(try await items.first?.fields.count == 3)
        #expect(
            try await get(can + place) == "capability[]=authtype\nusername=me\nauthtype=Bearer\ncredential=c\n")
    }
}
