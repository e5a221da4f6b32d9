import Coffer
import CofferTestKit
import Foundation
import Testing

@testable import CredentialHelpers

/// A password that was refused goes into the bin with its entry. The next login is as guarded as that one was.
@Suite struct DeletedEntryTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let backend = WatchedBackend(
        InMemoryKeychain(password: "pw", person: .answers("pw"), now: { DeletedEntryTests.now }))
    private let place = "protocol=https\nhost=example.com\nusername=me\n"
    private let gated = AccessControl.whenUnlocked.requiring(.userPresence)

    private func helper(_ access: AccessControl? = nil) -> GitHelper {
        GitHelper(
            store: EntryStore(
                application: "git", vault: .own, newAccess: access, backend: backend, now: { Self.now }))
    }

    private func store(_ password: String, _ access: AccessControl? = nil) async throws {
        try await helper(access).store(GitRequestReaderTests.read(place + "password=\(password)\n"))
    }

    private func erase(_ password: String) async throws {
        try await helper().erase(GitRequestReaderTests.read(place + "password=\(password)\n"))
    }

    private func edit(_ edit: ItemEdit) async throws {
        _ = try await backend.keychain.edit(item.name, edit, ReadRequest(), in: .own)
    }

    private var items: [ItemAttributes] {
        get async throws { try await backend.items(matching: ItemQuery(), in: .own) }
    }

    private var item: ItemAttributes {
        get async throws { try #require(try await items.first) }
    }

    @Test func aPasswordAfterARefusedOneKeepsWhatThePersonChose() async throws {
        try await store("old")
        try await edit(ItemEdit(access: gated, label: "Work", comment: "Ask Anna", attributes: ["team": "a"]))
        try await erase("old")
        #expect(try await items.isEmpty)
        try await store("new")
        let found = try await item
        #expect(found.access == gated)
        #expect(found.label == "Work" && found.comment == "Ask Anna" && found.attributes["team"] == "a")
        #expect(found.fields.map(\.name) == [.secret])
    }

    @Test func whatTellsAboutTheRefusedPasswordDoesNotComeBack() async throws {
        try await store("old\npassword_expiry_utc=1800000010")
        try await erase("old")
        try await store("new")
        #expect(try await item.attributes == ["application": "git", "protocol": "https", "server": "example.com"])
    }

    @Test func theEntryThatWasDeletedLastCounts() async throws {
        for label in ["one", "two"] {
            try await store("p")
            try await edit(ItemEdit(label: label))
            try await erase("p")
        }
        try await store("p")
        #expect(try await item.label == "two")
    }

    @Test func theStricterOfBothAccessControlsCounts() async throws {
        try await store("p")
        try await erase("p")
        try await store("p", gated)
        #expect(try await item.access == gated)
        try await erase("p")
        try await store("p", .afterFirstUnlock)
        #expect(try await item.access == gated)
    }

    @Test func anItemOfAnotherProgramInTheBinDoesNotCount() async throws {
        let name = ItemName(service: "git:https://example.com", account: "me", itemClass: .internetPassword)
        let other = NewItem(value: [1], access: gated, label: "Mine")
        _ = try await backend.set(name, to: other, if: .isAbsent, prompts: .never, in: .own)
        _ = try await backend.apply([.putAside(name)], prompts: .never, in: .own)
        try await store("p")
        #expect(try await item.access == .whenUnlocked)
        #expect(try await item.label == nil)
    }

    @Test func anotherUsersEntryInTheBinDoesNotCount() async throws {
        try await store("p", gated)
        try await erase("p")
        let other = place.replacing("username=me", with: "username=you") + "password=p\n"
        try await helper().store(GitRequestReaderTests.read(other))
        #expect(try await item.access == .whenUnlocked)
    }

    // MARK: Fingers

    private static let finger = AccessControl.whenUnlocked.requiring(.biometryAny)

    private static func fingerBackend(_ vault: VaultName = .own) -> WatchedBackend {
        WatchedBackend(
            InMemoryKeychain(
                password: "pw", biometrics: Biometrics(kind: .fingerprint, unavailableReason: nil),
                others: vault == .own ? [] : [vault], now: { Self.now }))
    }

    private static func entries(
        _ application: String, _ vault: VaultName = .own, _ access: AccessControl? = nil, _ backend: WatchedBackend
    ) -> EntryStore {
        EntryStore(
            application: application, vault: vault, newAccess: access, backend: backend, now: { Self.now })
    }

    /// The reader is gone, or the person has no finger enrolled. Otherwise no login would be stored until the bin
    /// forgets the entry, and nothing would say why.
    @Test(arguments: [
        (VaultName.own, "", KeychainError.Code.biometryNotEnrolled),
        (.group("ops"), " --group ops", .biometryNotAvailable),
    ])
    func anErasedEntryWhoseFingerIsGoneIsNamed(
        vault: VaultName, words: String, code: KeychainError.Code
    ) async throws {
        let backend = Self.fingerBackend(vault)
        let strict = GitHelper(store: Self.entries("git", vault, Self.finger, backend))
        let request = try GitRequestReaderTests.read(place + "password=p\n")
        try await strict.store(request)
        let entry = try #require(try await backend.items(matching: ItemQuery(), in: vault).first)
        _ = try await backend.apply([.putAside(entry.name)], prompts: .never, in: vault)
        backend.fail(.set, code)
        let plain = GitHelper(store: Self.entries("git", vault, nil, backend))
        let error = await #expect(throws: KeychainError.self) { try await plain.store(request) }
        #expect(error?.code == code)
        let command = "coffer rm --kind internet\(words) --now -- git:https://example.com me"
        #expect(error?.advice.hasSuffix(": " + command) == true, "\(error?.advice ?? "")")
        // The options require it, too, so the former entry is no obstacle.
        backend.fail(.set, code)
        let own = await #expect(throws: KeychainError.self) { try await strict.store(request) }
        #expect(own?.code == code && own?.advice.isEmpty == true)
    }

    @Test func anotherUsersLoginWhoseFingerIsGoneIsNamed() async throws {
        let backend = Self.fingerBackend()
        let strict = DockerHelper(store: Self.entries("docker", .own, Self.finger, backend))
        try await strict.add(DockerCredentials(serverURL: "h", username: "one", secret: "s"))
        backend.fail(.apply, .biometryNotEnrolled)
        let plain = DockerHelper(store: Self.entries("docker", .own, nil, backend))
        let error = await #expect(throws: KeychainError.self) {
            try await plain.add(DockerCredentials(serverURL: "h", username: "two", secret: "s"))
        }
        // It goes into the bin only: nothing says yet that the new login is stored after that.
        let command = "coffer rm --kind internet -- docker:https://h one"
        #expect(error?.advice.hasSuffix(": " + command) == true, "\(error?.advice ?? "")")
    }

    // MARK: docker

    private func add(_ user: String) async throws {
        let docker = DockerHelper(
            store: EntryStore(application: "docker", vault: .own, backend: backend, now: { Self.now }))
        try await docker.add(DockerCredentials(serverURL: "h", username: user, secret: "s"))
    }

    @Test func anotherUsersLoginIsAsGuardedAsTheOneThatItReplaces() async throws {
        try await add("one")
        try await edit(ItemEdit(access: gated, label: "Work"))
        try await add("two")
        #expect(try await items.map(\.account) == ["two"])
        #expect(try await item.access == gated)
        // The label was the other user's.
        #expect(try await item.label == nil)
        let binned = try await backend.deletedItems(of: item.service, in: .own)
        #expect(binned.map(\.account) == ["one"])
        try await add("one")
        #expect(try await item.access == gated)
        #expect(try await item.label == "Work")
    }

    /// What was put there before stays there.
    @Test func aLogoutPutsNothingIntoTheBin() async throws {
        try await add("one")
        try await add("two")
        let service = try await item.service
        let docker = DockerHelper(
            store: EntryStore(application: "docker", vault: .own, backend: backend, now: { Self.now }))
        try await docker.erase("h")
        #expect(try await items.isEmpty)
        let binned = try await backend.deletedItems(of: service, in: .own)
        #expect(binned.map(\.account) == ["one"])
    }
}
