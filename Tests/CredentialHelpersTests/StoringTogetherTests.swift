import Coffer
import CofferTestKit
import Foundation
import Testing

@testable import CredentialHelpers

/// Several programs use one entry of git's at the same time. The login that is stored last is there as a whole.
@Suite struct StoringTogetherTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let backend = WatchedBackend(
        InMemoryKeychain(password: "pw", person: .answers("pw"), now: { StoringTogetherTests.now }))

    private static let place = "protocol=https\nhost=example.com\n"
    private static let can = "capability[]=authtype\n"
    private static let lasting = place + "username=me\npassword=C\n"
    private static let token =
        place + "username=me\npassword=A\noauth_refresh_token=A\npassword_expiry_utc=1800000010\n"
    private static let bearer =
        can + place + "username=me\nauthtype=Bearer\ncredential=B\n"
        + "oauth_refresh_token=B\npassword_expiry_utc=1800000020\n"

    private static func helper(_ backend: any KeychainBackend, _ access: AccessControl? = nil) -> GitHelper {
        GitHelper(
            store: EntryStore(
                application: "git", vault: .own, newAccess: access, backend: backend, now: { Self.now }))
    }

    private func store(_ lines: String) async throws {
        try await Self.helper(backend).store(GitRequestReaderTests.read(lines))
    }

    /// What another process does. It is not watched.
    private func storeElsewhere(_ lines: String, _ access: AccessControl? = nil) async throws {
        try await Self.helper(backend.keychain, access).store(GitRequestReaderTests.read(lines))
    }

    private func get() async throws -> String { try await Self.answer(backend) }

    private static func answer(_ backend: any KeychainBackend) async throws -> String {
        let answer = try await helper(backend).get(GitRequestReaderTests.read(can + place))
        return String(decoding: answer, as: UTF8.self)
    }

    private var item: ItemAttributes {
        get async throws { try #require(try await backend.items(matching: ItemQuery(), in: .own).first) }
    }

    /// Checks that an entry has a login, and nothing of another one.
    private func expectOnly(_ login: String) async throws {
        let keychain = InMemoryKeychain(password: "pw", now: { Self.now })
        try await Self.helper(keychain).store(GitRequestReaderTests.read(login))
        let alone = try #require(try await keychain.items(matching: ItemQuery(), in: .own).first)
        let expected = try await Self.answer(keychain)
        #expect(try await get() == expected)
        let found = try await item
        #expect(Set(found.fields.map(\.name)) == Set(alone.fields.map(\.name)))
        #expect(found.attributes == alone.attributes && found.expires == nil)
    }

    /// The one that a test stores, and the one that comes meanwhile.
    private static let pairs = [
        [lasting, token], [token, lasting], [lasting, bearer], [bearer, lasting], [token, bearer], [bearer, token],
    ]

    @Test(arguments: ["", lasting, token, bearer], pairs)
    func theLaterLoginStaysWhole(before: String, logins: [String]) async throws {
        if !before.isEmpty { try await store(before) }
        // The one call that stores a login of one field, and the one for several. Only one of them comes.
        for call in [WatchedBackend.Call.set, .apply] {
            backend.before(call) { try await storeElsewhere(logins[1]) }
        }
        try await store(logins[0])
        try await expectOnly(logins[0])
    }

    @Test func anEntryThatHasExpiredIsStoredOnlyOnce() async throws {
        try await store(Self.lasting)
        _ = try await backend.keychain.edit(
            item.name, ItemEdit(expiry: .at(Self.now)), ReadRequest(prompts: .never), in: .own)
        backend.before(.set) { try await storeElsewhere(Self.token) }
        try await store(Self.lasting)
        try await expectOnly(Self.lasting)
    }

    /// The options of one program do not decide who reads what another one has stored.
    @Test func aNewEntryLeavesTheAccessOfOneThatCameFirst() async throws {
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        backend.before(.set) { try await storeElsewhere(Self.token, gated) }
        try await Self.helper(backend, .afterFirstUnlock).store(GitRequestReaderTests.read(Self.lasting))
        #expect(try await item.access == gated)
    }

    @Test(arguments: [1, 0]) func itBeginsAgainSevenTimes(spare: Int) async throws {
        let others = CredentialCallLimits.attempts - spare
        for number in 0..<others {
            let login = Self.token.replacing("password=A", with: "password=A\(number)")
            backend.before(.set) { try await storeElsewhere(login) }
        }
        if spare > 0 {
            try await store(Self.lasting)
            try await expectOnly(Self.lasting)
        } else {
            await #expect(throws: KeychainError(.changedMeanwhile, "")) { try await store(Self.lasting) }
            #expect(try await get().contains("password=A\(others - 1)\n"))
        }
    }

    // MARK: Reading

    /// git stores what it gets. Without its date and its refresh token, the later login would be spoilt.
    @Test(arguments: [[lasting, token], [token, lasting], [lasting, bearer], [bearer, token]])
    func aLoginThatComesDuringAReadIsGivenWhole(logins: [String]) async throws {
        try await store(logins[0])
        backend.before(.read) { try await storeElsewhere(logins[1]) }
        let answer = try await get()
        #expect(try await answer == get())
        try await expectOnly(logins[1])
    }

    /// A backend may read one field after the other.
    @Test func fieldsOfTwoLoginsAreNotGivenTogether() async throws {
        try await store(Self.token)
        backend.before(.read) {}
        backend.before(.read) { try await storeElsewhere(Self.token.replacing("=A", with: "=D")) }
        #expect(
            try await get()
                == "username=me\npassword=D\npassword_expiry_utc=1800000010\noauth_refresh_token=D\n")
    }

    // MARK: Erasing

    /// The refused password is gone by then, and with it the field that is compared.
    @Test func anErasureSparesALoginThatComesMeanwhile() async throws {
        try await store(Self.lasting)
        backend.before(.read) { try await storeElsewhere(Self.bearer) }
        try await Self.helper(backend).erase(GitRequestReaderTests.read(Self.lasting))
        try await expectOnly(Self.bearer)
    }

    @Test func anErasureLeavesNoPartOfALoginThatComesMeanwhile() async throws {
        try await store(Self.lasting)
        var pin = NewItem(value: Array("1234".utf8))
        pin.field = "pin"
        _ = try await backend.keychain.set(item.name, to: pin, if: .isPresent, prompts: .never, in: .own)
        backend.before(.edit) { try await storeElsewhere(Self.token) }
        try await Self.helper(backend).erase(GitRequestReaderTests.read(Self.place))
        let found = try await item
        #expect(found.fields.map(\.name) == ["pin"])
        #expect(found.attributes["password_expiry_utc"] == nil)
    }
}
