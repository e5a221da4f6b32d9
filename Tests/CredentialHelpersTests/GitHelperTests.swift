import Coffer
import CofferTestKit
import Foundation
import Synchronization
import Testing

@testable import CredentialHelpers

/// What git asks for, against a keychain that counts its prompts.
@Suite struct GitHelperTests {
    private let backend: InMemoryKeychain
    private let clock = Date(timeIntervalSince1970: 1_800_000_000)

    init() {
        let clock = clock
        backend = InMemoryKeychain(password: "pw", person: .answers("pw"), now: { clock })
    }

    private func helper(
        _ access: AccessControl? = nil, prompts: Prompts = .automatic, at time: Date? = nil,
        on other: InMemoryKeychain? = nil
    ) -> GitHelper {
        let time = time ?? clock
        return GitHelper(
            store: EntryStore(
                application: "git", vault: .own, newAccess: access, backend: other ?? backend, prompts: prompts,
                now: { time }))
    }

    private func store(_ lines: String, _ access: AccessControl? = nil) async throws {
        try await helper(access).store(GitRequestReaderTests.read(lines))
    }

    private func get(_ lines: String, at time: Date? = nil) async throws -> String {
        String(decoding: try await helper(at: time).get(GitRequestReaderTests.read(lines)), as: UTF8.self)
    }

    private func erase(_ lines: String) async throws {
        try await helper().erase(GitRequestReaderTests.read(lines))
    }

    private var items: [ItemAttributes] {
        get async throws { try await backend.items(matching: ItemQuery(), in: .own) }
    }

    private let place = "protocol=https\nhost=example.com\n"

    @Test func whatIsStoredComesBack() async throws {
        try await store(place + "username=me\npassword=s3cret\n")
        #expect(try await get(place) == "username=me\npassword=s3cret\n")
        #expect(try await get(place + "username=me\n") == "username=me\npassword=s3cret\n")
        #expect(try await get(place + "username=you\n") == "")
        #expect(try await get("protocol=http\nhost=example.com\n") == "")
        let item = try #require(try await items.first)
        #expect(item.service == "git:https://example.com" && item.account == "me")
        #expect(item.attributes == ["application": "git", "protocol": "https", "server": "example.com"])
        #expect(backend.shownMessages.isEmpty)
    }

    @Test(arguments: ["", " ", "a=b", "pass\u{E9}", String(repeating: "x", count: 200_000)])
    func everyPasswordIsAPassword(password: String) async throws {
        try await store(place + "username=\npassword=\(password)\n")
        #expect(try await get(place) == "username=\npassword=\(password)\n")
    }

    /// A token, its refresh token and their expiry are stored, read and erased as one.
    @Test func tokensComeBackAsAWhole() async throws {
        try await store(place + "username=me\npassword=t\noauth_refresh_token=r\npassword_expiry_utc=9999999999\n")
        #expect(
            try await get(place)
                == "username=me\npassword=t\npassword_expiry_utc=9999999999\noauth_refresh_token=r\n")
        let item = try #require(try await items.first)
        #expect(item.expires == nil && item.attributes["password_expiry_utc"] == "9999999999")
        #expect(!item.attributes.values.contains("r"))
        #expect(Set(item.fields.map(\.name)) == [.secret, "password_expiry_utc", "oauth_refresh_token"])
        // Another login without a refresh token drops the former one.
        try await store(place + "username=me\npassword=u\n")
        #expect(try await get(place) == "username=me\npassword=u\n")
        #expect(try await items.first?.expires == nil)
    }

    @Test func whatHasExpiredIsNotGivenOut() async throws {
        try await store(place + "username=me\npassword=t\npassword_expiry_utc=1800000010\n")
        #expect(try await get(place).contains("password=t"))
        #expect(try await get(place, at: clock + 10) == "")
        try await store("protocol=https\nhost=late.example\nusername=me\npassword=t\npassword_expiry_utc=1799999999\n")
        #expect(try await items.count == 1)
    }

    /// A helper for OAuth that comes next refreshes the password with it, and git stores both.
    @Test func aRefreshTokenOutlivesItsPassword() async throws {
        try await store(place + "username=me\npassword=t\noauth_refresh_token=r\npassword_expiry_utc=1800000010\n")
        #expect(try await get(place).contains("password=t\n"))
        #expect(try await get(place, at: clock + 10) == "username=me\noauth_refresh_token=r\n")
        try await store(place + "username=you\npassword=good\n")
        #expect(try await get(place, at: clock + 10) == "username=you\npassword=good\n")
        #expect(try await get(place + "username=me\n", at: clock + 10) == "username=me\noauth_refresh_token=r\n")
        // A login without a refresh token leaves nothing of the former one.
        try await store(place + "username=me\npassword=new\n")
        #expect(try await get(place + "username=me\n", at: clock + 10) == "username=me\npassword=new\n")
        #expect(try await items.allSatisfy { $0.attributes["password_expiry_utc"] == nil })
        try await erase(place)
        // A credential goes the same way.
        let can = "capability[]=authtype\n"
        let bearer = "authtype=Bearer\ncredential=c\noauth_refresh_token=r\npassword_expiry_utc=1800000010\n"
        try await store(can + place + bearer)
        #expect(try await get(can + place, at: clock + 10) == "oauth_refresh_token=r\n")
    }

    @Test func credentialsNeedTheCapability() async throws {
        let can = "capability[]=authtype\n"
        try await store(can + place + "authtype=Bearer\ncredential=tok\n")
        #expect(try await get(can + place) == "capability[]=authtype\nauthtype=Bearer\ncredential=tok\n")
        #expect(try await get(place) == "")
        #expect(try await get(can + place + "username=me\n") == "")
        try await store(can + place + "username=me\nauthtype=Bearer\ncredential=tok2\n")
        #expect(
            try await get(can + place + "username=me\n")
                == "capability[]=authtype\nusername=me\nauthtype=Bearer\ncredential=tok2\n")
        // The one that names nobody fits a request that names nobody.
        #expect(try await get(can + place).contains("credential=tok\n"))
        // Not even whose it is.
        #expect(try await get(place + "username=me\n") == "")
        // Without the capability these fields mean nothing.
        try await store("protocol=https\nhost=other.example\nauthtype=Bearer\ncredential=tok\n")
        #expect(try await items.count == 2)
    }

    @Test(arguments: ["ephemeral=1\n", "ephemeral=true\n", "continue=1\n", "ephemeral=maybe\n"])
    func passingCredentialsAreNotStored(line: String) async throws {
        try await store("capability[]=authtype\n" + place + line + "authtype=Bearer\ncredential=tok\n")
        try await store(place + line + "username=me\npassword=p\n")
        #expect(try await items.isEmpty)
    }

    @Test(arguments: ["username=me\n", "password=p\n", ""]) func halfALoginIsNotStored(lines: String) async throws {
        try await store(place + lines)
        #expect(try await items.isEmpty)
    }

    /// git stores after every login that worked.
    @Test func theSameAgainWritesNothing() async throws {
        let login = place + "username=me\npassword=s3cret\noauth_refresh_token=r\npassword_expiry_utc=9999999999\n"
        try await store(login)
        let first = try #require(try await items.first)
        try await store(login)
        #expect(try await items == [first])
        try await store(login.replacing("s3cret", with: "s3creT"))
        #expect(try await items.first?.version ?? 0 > first.version)
        #expect(try await get(place).contains("password=s3creT\n"))
    }

    @Test func whatAPersonAddsStays() async throws {
        let login = place + "username=me\npassword=one\noauth_refresh_token=r\n"
        try await store(login)
        let name = try #require(try await items.first).name
        var pin = NewItem(value: Array("1234".utf8))
        pin.field = "pin"
        _ = try await backend.set(name, to: pin, if: .isPresent, prompts: .never, in: .own)
        try await store(login)
        try await store(place + "username=me\npassword=two\n")
        #expect(try await Set(#require(items.first).fields.map(\.name)) == [.secret, "pin"])
        // The server refuses it, the person types another one, and git stores that.
        try await erase(place + "username=me\npassword=other\n")
        #expect(try await get(place) == "username=me\npassword=two\n")
        try await erase(place + "username=me\npassword=two\n")
        #expect(try await items.first?.fields.map(\.name) == ["pin"])
        #expect(try await get(place) == "")
        try await store(place + "username=me\npassword=three\n")
        #expect(try await get(place) == "username=me\npassword=three\n")
        try await erase(place)
        #expect(try await backend.read(["pin"], of: name, ReadRequest(), in: .own).map(\.value) == [pin.value])
    }

    /// It kept all parts in one value.
    @Test func anEntryOfAnEarlierVersionIsRead() async throws {
        let can = "capability[]=authtype\n"
        for (value, answer) in [
            (
                "p\npassword_expiry_utc=9999999999\noauth_refresh_token=r",
                "password=p\npassword_expiry_utc=9999999999\noauth_refresh_token=r\n"
            ),
            ("\nauthtype=Bearer\ncredential=c", "authtype=Bearer\ncredential=c\n"),
        ] {
            try await store(place + "username=me\npassword=p\n")
            let name = try #require(try await items.first).name
            _ = try await backend.set(
                name, to: NewItem(value: Array(value.utf8)), if: .isPresent, prompts: .never, in: .own)
            #expect(try await get(can + place).hasSuffix("username=me\n" + answer))
            try await erase(can + place + (answer.hasPrefix("password") ? "password=x\n" : "credential=x\n"))
            #expect(try await items.count == 1)
            // The next login makes fields of it.
            try await store(place + "username=me\npassword=q\noauth_refresh_token=s\n")
            #expect(try await get(place) == "username=me\npassword=q\noauth_refresh_token=s\n")
            #expect(try await items.first?.fields.count == 2)
        }
    }

    @Test func aPartThatComesTwiceIsDamage() async throws {
        try await store(place + "username=me\npassword=p\noauth_refresh_token=r\n")
        let name = try #require(try await items.first).name
        let value = NewItem(value: Array("p\noauth_refresh_token=x".utf8))
        _ = try await backend.set(name, to: value, if: .isPresent, prompts: .never, in: .own)
        await #expect(throws: KeychainError(.damaged, "")) { try await get(place) }
    }

    /// What a person has added to an entry stays when git stores again.
    @Test func aPersonsSettingsStay() async throws {
        try await store(place + "username=me\npassword=one\n")
        let name = try #require(try await items.first).name
        let edit = ItemEdit(label: "Work", attributes: ["team": "a"], expiry: .at(clock + 100))
        _ = try await backend.edit(name, edit, ReadRequest(), in: .own)
        let edited = try await items
        try await store(place + "username=me\npassword=one\n")
        #expect(try await items == edited)
        try await store(place + "username=me\npassword=two\n")
        let item = try #require(try await items.first)
        #expect(item.label == "Work" && item.attributes["team"] == "a" && item.attributes["application"] == "git")
        // A credential in place of a password, and back.
        try await store("capability[]=authtype\n" + place + "username=me\nauthtype=Bearer\ncredential=t\n")
        #expect(try await items.first?.attributes["authtype"] == "Bearer")
        try await store(place + "username=me\npassword=two\n")
        #expect(try await items.first?.attributes["authtype"] == nil)
        #expect(try await get(place) == "username=me\npassword=two\n")
    }

    /// Attacker 4. Malware that stores does not loosen an entry, and nobody is bothered.
    @Test func storingNeverAsksAndKeepsTheAccessControl() async throws {
        let gated = AccessControl.whenUnlocked.thisDeviceOnly.requiring(.userPresence)
        try await store(place + "username=me\npassword=one\n", gated)
        try await store(place + "username=me\npassword=two\n")
        try await store(place + "username=me\npassword=two\n", .whenUnlocked)
        #expect(try await items.map(\.access) == [gated])
        try await backend.lock(.own)
        try await store(place + "username=me\npassword=three\n")
        #expect(backend.shownMessages.isEmpty)
        #expect(try await get(place).contains("password=three\n"))
    }

    /// Attacker 4. A token that expires is refreshed every few hours. The entry stays as guarded as the person made it.
    @Test func anExpiredEntryKeepsItsAccessControl() async throws {
        let time = Mutex(clock)
        let backend = InMemoryKeychain(password: "pw", person: .answers("pw"), now: { time.withLock { $0 } })
        let store = EntryStore(
            application: "git", vault: .own, newAccess: .afterFirstUnlock, backend: backend,
            now: { time.withLock { $0 } })
        let helper = GitHelper(store: store)
        try await helper.store(GitRequestReaderTests.read(place + "username=me\npassword=one\n"))
        let name = try #require(try await backend.items(matching: ItemQuery(), in: .own).first).name
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        let edit = ItemEdit(access: gated, label: "Work", attributes: ["team": "a"], expiry: .at(clock + 10))
        _ = try await backend.edit(name, edit, ReadRequest(), in: .own)
        time.withLock { $0 += 60 }
        let refreshed = place + "username=me\npassword=two\npassword_expiry_utc=1800009999\n"
        try await helper.store(GitRequestReaderTests.read(refreshed))
        let item = try #require(try await backend.items(matching: ItemQuery(), in: .own).first)
        #expect(item.access == gated && item.label == "Work" && item.attributes["team"] == "a")
        #expect(item.expires == nil && item.attributes["password_expiry_utc"] == "1800009999")
        let answer = try await helper.get(GitRequestReaderTests.read(place))
        #expect(String(decoding: answer, as: UTF8.self).contains("password=two\n"))
    }

    /// What has expired goes as everything else does.
    @Test func anExpiredEntryIsErased() async throws {
        try await store(place + "username=me\npassword=t\npassword_expiry_utc=1800000010\n")
        try await helper(at: clock + 60).erase(GitRequestReaderTests.read(place))
        #expect(try await items.isEmpty)
    }

    @Test func severalUsersMakeOnePrompt() async throws {
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        for user in ["a", "b", "c"] { try await store(place + "username=\(user)\npassword=\(user)\n", gated) }
        #expect(try await !get(place).isEmpty)
        #expect(backend.shownMessages.count { $0.wantsAnswer } == 1)
        #expect(try await get(place + "username=b\n") == "username=b\npassword=b\n")
        #expect(backend.shownMessages.count { $0.wantsAnswer } == 2)
    }

    @Test func whereNobodyCanBeAskedNothingIsGiven() async throws {
        try await store(place + "username=me\npassword=p\n", .whenUnlocked.requiring(.userPresence))
        await #expect(throws: KeychainError(.authenticationNeeded, "")) {
            try await helper(prompts: .never).get(GitRequestReaderTests.read(place))
        }
    }

    @Test func erasingSparesAnotherPassword() async throws {
        for user in ["a", "b"] { try await store(place + "username=\(user)\npassword=\(user)1\n") }
        try await erase(place + "username=a\npassword=wrong\n")
        try await erase(place + "password=a\n")
        #expect(try await items.count == 2)
        try await erase(place + "password=b1\n")
        #expect(try await items.map(\.account) == ["a"])
        try await store("capability[]=authtype\n" + place + "authtype=Bearer\ncredential=t\n")
        try await erase(place + "credential=other\n")
        #expect(try await items.count == 2)
        try await erase(place + "credential=t\n")
        #expect(try await items.map(\.account) == ["a"])
    }

    @Test func erasingWithoutAUserErasesAll() async throws {
        for user in ["a", "b", ""] { try await store(place + "username=\(user)\npassword=p\n") }
        try await store("protocol=https\nhost=example.com:8443\nusername=a\npassword=p\n")
        try await store("protocol=https\nhost=example.org\nusername=a\npassword=p\n")
        try await erase(place)
        #expect(try await items.map(\.service) == ["git:https://example.com:8443", "git:https://example.org"])
        try await erase(place)
    }

    /// What was refused was gated, so comparing it asks. One prompt compares all.
    @Test func erasingAGatedEntryAsksOnce() async throws {
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        for user in ["a", "b"] { try await store(place + "username=\(user)\npassword=old\n", gated) }
        try await erase(place + "password=old\n")
        #expect(try await items.isEmpty)
        #expect(backend.shownMessages.count { $0.wantsAnswer } == 1)
    }

    @Test func pathsKeepEntriesApart() async throws {
        try await store(place + "path=a.git\nusername=me\npassword=a\n")
        try await store(place + "path=b.git\nusername=me\npassword=b\n")
        #expect(try await get(place + "path=a.git\n").contains("password=a\n"))
        #expect(try await get(place + "path=c.git\n") == "")
        try await store(place + "username=me\npassword=all\n")
        #expect(try await get(place).contains("password=all\n"))
        #expect(try await get(place + "path=b.git\n").contains("password=b\n"))
    }

    /// Entries of other programs are neither given to git nor erased by it, even if they look alike.
    @Test func otherProgramsItemsStay() async throws {
        let docker = DockerHelper(store: EntryStore(application: "docker", vault: .own, backend: backend))
        try await docker.add(DockerCredentials(serverURL: "https://example.com", username: "me", secret: "d"))
        let server = try InternetServer(scheme: "https", host: "example.com")
        try await Keychain(service: "x", backend: backend).setInternetPassword("i", for: "me", on: server)
        #expect(try await get(place) == "")
        try await erase(place)
        #expect(try await items.count == 2)
    }

    /// A person or malware can store anything under an entry's name. No line of git's comes out of it that git would not take.
    @Test(arguments: ["a\rb", "a\0b", "p\noauth_refresh_token=x\ry"])
    func anEntryMadeByHandIsNotPassedOn(value: String) async throws {
        try await store(place + "username=me\npassword=p\n")
        let name = try #require(try await items.first).name
        _ = try await backend.apply(
            [ItemChange(name, .set(NewItem(value: Array(value.utf8))))], prompts: .never, in: .own)
        await #expect(throws: KeychainError(.damaged, "")) { try await get(place) }
    }

    @Test func linesOfAnEntryMadeByHandStayInTheirField() async throws {
        try await store(place + "username=me\npassword=p\n")
        let name = try #require(try await items.first).name
        let value = "p\nhost=evil.example\nquit=1\nusername=evil\nprotocol=http\nnonsense\n"
        _ = try await backend.apply(
            [ItemChange(name, .set(NewItem(value: Array(value.utf8))))], prompts: .never, in: .own)
        #expect(try await get(place) == "username=me\npassword=p\n")
    }

    @Test func theFirstEntryMakesTheVault() async throws {
        let empty = InMemoryKeychain(password: "pw", person: .answers("pw"), state: .none)
        let helper = helper(on: empty)
        #expect(try await helper.get(GitRequestReaderTests.read(place)).isEmpty)
        #expect(empty.shownMessages.isEmpty)
        try await helper.store(GitRequestReaderTests.read(place + "username=me\npassword=p\n"))
        #expect(try await !helper.get(GitRequestReaderTests.read(place)).isEmpty)
    }

    /// The bytes that are stored are their own, whatever is wiped meanwhile.
    @Test func secretsAreWipedAloneAndComparedWhole() {
        let bytes = Array("secret".utf8)
        do {
            let field = SecretField(bytes)
            #expect(field == SecretField(bytes) && field != SecretField(bytes.dropLast()))
            #expect(field != SecretField(Array("Secret".utf8)) && field != SecretField(Array("secreT".utf8)))
        }
        #expect(bytes == Array("secret".utf8))
    }
}
