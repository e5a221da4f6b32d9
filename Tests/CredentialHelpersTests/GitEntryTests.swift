import Coffer
import CofferTestKit
import Foundation
import Synchronization
import Testing

@testable import CredentialHelpers

/// Which entry git gets, which parts of it, and which entries an erasure reaches.
@Suite struct GitEntryTests {
    private static let clock = Date(timeIntervalSince1970: 1_800_000_000)
    private let backend = InMemoryKeychain(password: "pw", person: .answers("pw"), now: { GitEntryTests.clock })
    private let place = "protocol=https\nhost=example.com\n"
    private let can = "capability[]=authtype\n"

    private func helper(
        _ access: AccessControl? = nil, at time: Date = GitEntryTests.clock, on other: InMemoryKeychain? = nil
    ) -> GitHelper {
        GitHelper(
            store: EntryStore(
                application: "git", vault: .own, newAccess: access, backend: other ?? backend, now: { time }))
    }

    private func store(_ lines: String, _ access: AccessControl? = nil) async throws {
        try await helper(access).store(GitRequestReaderTests.read(lines))
    }

    private func get(_ lines: String, at time: Date = GitEntryTests.clock) async throws -> String {
        String(decoding: try await helper(at: time).get(GitRequestReaderTests.read(lines)), as: UTF8.self)
    }

    private func erase(_ lines: String, at time: Date = GitEntryTests.clock) async throws {
        try await helper(at: time).erase(GitRequestReaderTests.read(lines))
    }

    private var items: [ItemAttributes] {
        get async throws { try await backend.items(matching: ItemQuery(), in: .own) }
    }

    private var asked: Int { backend.shownMessages.count { $0.wantsAnswer } }

    /// Stores a field as a person does who knows the entry's name.
    private func setByHand(_ field: FieldName, _ value: String) async throws {
        var new = NewItem(value: Array(value.utf8))
        new.field = field
        let name = try #require(try await items.first).name
        _ = try await backend.set(name, to: new, if: .isPresent, prompts: .never, in: .own)
    }

    // MARK: Which entry

    @Test(arguments: [["a", "b"], ["b", "a"]]) func ofEqualEntriesTheNewestIsGiven(users: [String]) async throws {
        let time = Mutex(Self.clock)
        let backend = InMemoryKeychain(password: "pw", now: { time.withLock { $0 } })
        for user in users {
            try await helper(on: backend).store(GitRequestReaderTests.read(place + "username=\(user)\npassword=p\n"))
            time.withLock { $0 += 1 }
        }
        let answer = try await helper(on: backend).get(GitRequestReaderTests.read(place))
        #expect(String(decoding: answer, as: UTF8.self) == "username=\(users[1])\npassword=p\n")
    }

    @Test func anEntryWhosePasswordIsGoodComesFirst() async throws {
        try await store(place + "username=you\npassword=good\n")
        try await store(place + "username=me\npassword=t\noauth_refresh_token=r\npassword_expiry_utc=1800000010\n")
        #expect(try await get(place, at: Self.clock + 10) == "username=you\npassword=good\n")
    }

    /// git before 2.41 gives back user and password alone, after each login. The refresh token would be lost.
    @Test func anOlderGitTakesNoRefreshTokenAway() async throws {
        let all = "username=me\npassword=t\noauth_refresh_token=r\npassword_expiry_utc=1800000010\n"
        try await store(place + all)
        try await store(place + "username=me\npassword=t\n")
        let answer = try await get(place)
        for line in all.split(separator: "\n") { #expect(answer.contains("\(line)\n"), "\(answer)") }
        // Another password is another login.
        try await store(place + "username=me\npassword=u\n")
        #expect(try await get(place) == "username=me\npassword=u\n")
        // The same one after its end was given a longer time.
        try await store(place + "username=me\npassword=u\npassword_expiry_utc=1799999990\n")
        try await store(place + "username=me\npassword=u\n")
        #expect(try await get(place) == "username=me\npassword=u\n")
    }

    /// Attackers 3 and 11: who can write an entry must not write further lines to git, such as another host.
    @Test func aUserNameOfSeveralLinesIsNotGiven() async throws {
        for account in ["me\nhost=evil.example", "me\rx", "me\0x"] {
            var new = NewItem(value: Array("pw".utf8))
            new.attributes = ["application": "git", "protocol": "https", "server": "example.com"]
            let place = try GitPlace(GitRequestReaderTests.read(place))
            let name = ItemName(service: place.name.service, account: account, itemClass: .internetPassword)
            _ = try await backend.set(name, to: new, if: .isAbsent, prompts: .never, in: .own)
        }
        #expect(try await get(place) == "")
        try await store(place + "username=you\npassword=good\n")
        #expect(try await get(place) == "username=you\npassword=good\n")
    }

    @Test func anEntryThatIsMostLikeTheRequestComesFirst() throws {
        func place(_ lines: String) throws -> GitPlace {
            try GitPlace(GitRequestReaderTests.read("protocol=https\nhost=h\n" + lines))
        }
        let entries = try ["", "username=me\n", "path=p\n", "path=p\nusername=me\n"].map { try place($0).name }
        let all = try place("")
        #expect(entries.map(all.distance(to:)) == [0, 1, 2, 3])
        let user = try place("username=me\n")
        #expect([entries[1], entries[3]].map(user.distance(to:)) == [0, 2])
        let path = try place("path=p\n")
        #expect([entries[2], entries[3]].map(path.distance(to:)) == [0, 1])
        #expect(try place("path=p\nusername=me\n").distance(to: entries[3]) == 0)
    }

    /// A person has set a date. From that moment on, the entry is not there.
    @Test func anEntryEndsAtItsDate() async throws {
        try await store(place + "username=me\npassword=p\n")
        let name = try #require(try await items.first).name
        let end = Self.clock + 100
        _ = try await backend.edit(name, ItemEdit(expiry: .at(end)), ReadRequest(), in: .own)
        #expect(try await get(place, at: end - 1) == "username=me\npassword=p\n")
        #expect(try await get(place, at: end) == "")
        // Then a person's fields go with it, because nobody can read them any longer.
        try await setByHand("pin", "1234")
        try await erase(place, at: end)
        #expect(try await items.isEmpty)
    }

    @Test func anExpiredPasswordIsNotGivenOutWithoutItsDate() async throws {
        try await store(place + "username=me\npassword=t\n")
        // A person has kept git's date in its field only.
        try await setByHand("password_expiry_utc", "1800000010")
        #expect(try await get(can + place, at: Self.clock + 9).contains("password=t\n"))
        #expect(try await get(can + place, at: Self.clock + 10) == "")
        #expect(try await get(place, at: Self.clock + 10) == "")
    }

    // MARK: Parts

    @Test(arguments: [
        "username=me\noauth_refresh_token=r\n", "username=me\npassword_expiry_utc=9999999999\n",
        "password=p\noauth_refresh_token=r\n", "username=me\nauthtype=Bearer\noauth_refresh_token=r\n",
        "username=me\nauthtype=\ncredential=c\n",
    ])
    func partsWithoutALoginAreNotStored(lines: String) async throws {
        try await store(can + place + lines)
        #expect(try await items.isEmpty)
    }

    @Test func aSchemeWithoutACredentialIsNotStored() async throws {
        try await store(can + place + "username=me\npassword=p\nauthtype=Bearer\n")
        #expect(try await items.first?.fields.map(\.name) == [.secret])
        #expect(try await get(can + place) == "username=me\npassword=p\n")
    }

    @Test func aCredentialWithoutASchemeIsNotGivenOut() async throws {
        try await store(place + "username=me\npassword=p\n")
        try await setByHand("credential", "c")
        #expect(try await get(can + place) == "username=me\npassword=p\n")
    }

    /// Attacker 4. The line would name another host.
    @Test(arguments: ["oauth_refresh_token", "password_expiry_utc", "authtype", "credential"] as [FieldName])
    func aFieldWithSeveralLinesIsDamage(field: FieldName) async throws {
        try await store(place + "username=me\npassword=p\n")
        try await setByHand(field, "1\nhost=evil.example")
        await #expect(throws: KeychainError(.damaged, "")) { try await get(can + place) }
        await #expect(throws: KeychainError(.damaged, "")) { try await get(place) }
    }

    // MARK: Erasing

    /// Only what the server has refused is compared, so that a person is asked once.
    @Test(arguments: ["password=p\n", "credential=c\n"])
    func anEntryWithBothIsComparedByWhatWasRefused(line: String) async throws {
        let both = "username=me\npassword=p\nauthtype=Bearer\ncredential=c\n"
        try await store(can + place + both, .whenUnlocked.requiring(.userPresence))
        try await erase(place + line.replacing("=", with: "=x"))
        #expect(try await items.count == 1)
        #expect(asked == 1)
        try await erase(place + line)
        #expect(try await items.isEmpty)
        #expect(asked == 2)
    }

    /// Two of these do not fit into one answer.
    @Test func largePasswordsAreComparedOneByOne() async throws {
        let large = String(repeating: "x", count: 1 << 20)
        for user in ["a", "b"] { try await store(place + "username=\(user)\npassword=\(large)\n") }
        try await erase(place + "password=\(large)\n")
        #expect(try await items.isEmpty)
    }

    @Test func aPersonWhoGivesUpIsAskedOnce() async throws {
        let backend = InMemoryKeychain(password: "pw", person: .givesUp, now: { Self.clock })
        let helper = helper(.whenUnlocked.requiring(.userPresence), on: backend)
        for user in ["a", "b"] {
            try await helper.store(GitRequestReaderTests.read(place + "username=\(user)\npassword=p\n"))
        }
        await #expect(throws: KeychainError(.cancelled, "")) {
            try await helper.erase(GitRequestReaderTests.read(place + "password=p\n"))
        }
        #expect(backend.shownMessages.count { $0.wantsAnswer } == 1)
        let left = try await backend.items(matching: ItemQuery(), in: .own).count
        #expect(left == 2)
    }

    // MARK: Text

    @Test func everyOtherByteIsEncodedInAName() {
        for byte in UInt8.min...UInt8.max {
            let digits = String(byte, radix: 16, uppercase: true)
            #expect(URLText.encode([byte], keeping: []) == "%" + (digits.count == 1 ? "0" : "") + digits)
        }
        let kept = Array("AZaz09-._~:[]".utf8)
        #expect(URLText.encode(kept, keeping: URLText.host) == "AZaz09-._~:[]")
        #expect(URLText.encode(Array("[/]".utf8), keeping: URLText.path) == "%5B/%5D")
    }

    /// Attacker 7. A value is refused while it comes, so that its end need not come.
    @Test func aValueIsRefusedBeforeItsEnd() throws {
        var reader = GitRequestReader()
        // One byte more can be the carriage return of a line's end.
        let fits = Array("protocol=".utf8) + [UInt8](repeating: 0x61, count: 65)
        let isRead = try reader.take(fits)
        #expect(isRead)
        var code: KeychainError.Code?
        do throws(KeychainError) { _ = try reader.take(Array("a".utf8)) } catch { code = error.code }
        #expect(code == .limitExceeded)
    }

    @Test func nothingIsTakenAfterTheEnd() throws {
        var reader = GitRequestReader()
        var takesMore = try reader.take(Array("host=a\n".utf8))
        #expect(takesMore)
        try reader.end()
        takesMore = try reader.take(Array("protocol=https\n".utf8))
        #expect(!takesMore)
        let scheme = reader.request.scheme
        #expect(scheme == nil)
    }
}
