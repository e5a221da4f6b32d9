import Coffer
import CofferTestKit
import Foundation
import Testing

@testable import CredentialHelpers

/// What docker asks for, and which addresses are the same server.
@Suite struct DockerHelperTests {
    private let backend = InMemoryKeychain(password: "pw", person: .answers("pw"))

    private var helper: DockerHelper {
        DockerHelper(store: EntryStore(application: "docker", vault: .own, backend: backend))
    }

    private func add(_ url: String, _ user: String = "me", _ secret: String = "s") async throws {
        try await helper.add(DockerCredentials(serverURL: url, username: user, secret: secret))
    }

    private func found(_ url: String) async throws -> String? {
        do { return try await helper.get(url).username } catch {
            guard error.code == .notFound else { throw error }
            #expect(error.description == "credentials not found in native keychain")
            return nil
        }
    }

    @Test func whatIsStoredComesBack() async throws {
        try await add("https://index.docker.io/v1/", "me", "p\"w\\\u{E9}\n<token>")
        let login = try await helper.get("https://index.docker.io/v1/")
        #expect(login.serverURL == "https://index.docker.io/v1/" && login.username == "me")
        #expect(login.secret == "p\"w\\\u{E9}\n<token>")
        #expect(try await helper.list() == ["https://index.docker.io/v1/": "me"])
        try await helper.erase("https://index.docker.io/v1/")
        #expect(try await found("https://index.docker.io/v1/") == nil)
        #expect(try await helper.list().isEmpty)
        try await helper.erase("https://index.docker.io/v1/")
    }

    @Test(arguments: [
        ("foobar.example.com", "https://foobar.example.com"), ("//foobar.example.com:2376", "foobar.example.com:2376"),
        ("https://Foobar.Example.com/v1/", "foobar.example.com/v1"),
        ("https://h/some/path?foo=bar", "https://h/some/path"),
        ("https://::1:8080//////location/../../hello", "https://::1:8080//////location/../../hello"),
        ("HTTPS://h", "h/"),
    ])
    func theseAreOneServer(stored: String, wanted: String) async throws {
        try await add(stored)
        #expect(try await found(wanted) == "me")
        #expect(try await helper.list() == [stored: "me"])
        try await helper.erase(wanted)
        #expect(try await helper.list().isEmpty)
    }

    @Test(arguments: [
        ("https://h:2376", "http://h:2376"), ("http://h", "h"), ("https://h:1234", "https://h:5678"),
        ("https://h:1234", "https://h"), ("https://h/one", "https://h/two"), ("https://h/one", "https://h"),
        ("https://h", "https://h.evil.example"), ("https://h.", "https://h"), ("https://h%2Fa", "https://h/a"),
        ("https://h/a%2Fb", "https://h/a/b"), ("https://ex\u{430}mple.com", "https://example.com"),
    ])
    func theseAreTwo(stored: String, wanted: String) async throws {
        try await add(stored)
        #expect(try await found(wanted) == nil)
        try await helper.erase(wanted)
        #expect(try await found(stored) == "me")
    }

    @Test(arguments: [
        "ftp://h", "https://", "https:///v1/", "https://good.example@evil.example", "https://:80", "https://h\u{0}",
        "h\ngood.example",
        "://h", "?",
    ])
    func theseAreNoServers(url: String) async throws {
        await #expect(throws: KeychainError(.invalidArgument, "")) { try await add(url) }
        await #expect(throws: KeychainError(.invalidArgument, "")) { try await helper.get(url) }
        await #expect(throws: KeychainError(.invalidArgument, "")) { try await helper.erase(url) }
    }

    @Test func aSecondUserReplacesTheFirst() async throws {
        try await add("h", "one", "1")
        try await add("https://h/", "two", "2")
        #expect(try await helper.list() == ["https://h/": "two"])
        #expect(try await helper.get("h").secret == "2")
        let count = try await backend.items(matching: ItemQuery(), in: .own).count
        #expect(count == 1)
    }

    /// A person has set a date. What has expired goes like any other login.
    @Test func anExpiredLoginIsReplacedAndErased() async throws {
        try await add("h", "one")
        let name = try #require(try await backend.items(matching: ItemQuery(), in: .own).first).name
        _ = try await backend.edit(name, ItemEdit(expiry: .at(Date() - 60)), ReadRequest(), in: .own)
        #expect(try await helper.list().isEmpty)
        try await add("h", "two")
        #expect(try await backend.items(matching: ItemQuery(), in: .own).map(\.account) == ["two"])
        _ = try await backend.edit(
            try #require(try await backend.items(matching: ItemQuery(), in: .own).first).name,
            ItemEdit(expiry: .at(Date() - 60)), ReadRequest(), in: .own)
        try await helper.erase("h")
        #expect(try await backend.items(matching: ItemQuery(), in: .own).isEmpty)
    }

    @Test func theSameAgainWritesNothing() async throws {
        try await add("h")
        let first = try await backend.items(matching: ItemQuery(), in: .own)
        try await add("h")
        #expect(try await backend.items(matching: ItemQuery(), in: .own) == first)
        try await add("h", "me", "other")
        #expect(try await helper.get("h").secret == "other")
    }

    @Test func whatAPersonAddsStays() async throws {
        try await add("h", "me", "one")
        let name = try #require(try await backend.items(matching: ItemQuery(), in: .own).first).name
        var pin = NewItem(value: Array("1234".utf8))
        pin.field = "pin"
        _ = try await backend.set(name, to: pin, if: .isPresent, prompts: .never, in: .own)
        try await add("h", "me", "two")
        #expect(try await helper.get("h").secret == "two")
        #expect(try await backend.read(["pin"], of: name, ReadRequest(), in: .own).map(\.value) == [pin.value])
        try await add("h", "me", "two")
        #expect(try await backend.items(matching: ItemQuery(), in: .own).first?.fields.count == 2)
    }

    /// Listing is metadata only. Attacker 4 gets no value by it, and nobody is asked.
    @Test func listingNeverAsks() async throws {
        var store = EntryStore(application: "docker", vault: .own, backend: backend)
        store.newAccess = .whenUnlocked.requiring(.userPresence)
        let gated = DockerHelper(store: store)
        try await gated.add(DockerCredentials(serverURL: "h", username: "me", secret: "s"))
        try await backend.lock(.own)
        #expect(try await gated.list() == ["h": "me"])
        #expect(backend.shownMessages.isEmpty)
        #expect(try await gated.get("h").secret == "s")
        #expect(backend.shownMessages.count { $0.wantsAnswer } == 1)
    }

    @Test func whatDockerSendsIsRead() throws {
        let login = try DockerCredentials(
            json: Array(#"{"ServerURL":"a","Username":"b","Secret":"c","More":[1]}"#.utf8))
        #expect(login.serverURL == "a" && login.username == "b" && login.secret == "c")
        #expect(try DockerCredentials(json: Array(#"{"ServerURL":"a","Username":"b"}"#.utf8)).secret == "")
    }

    @Test(arguments: [
        (#"{"Username":"b","Secret":"c"}"#, "no credentials server URL"), (#"{}"#, "no credentials server URL"),
        (#"{"ServerURL":"a","Secret":"c"}"#, "no credentials username"),
        (#"{"ServerURL":"a","Username":null}"#, "no credentials username"),
    ])
    func whatIsMissingIsSaidInDockersWords(json: String, words: String) {
        #expect { try DockerCredentials(json: Array(json.utf8)) } throws: { "\($0)" == words }
    }

    /// Attacker 7. docker's client and this program could each take another one for the server.
    @Test func aMemberThatComesTwiceIsRefused() {
        let json = #"{"ServerURL":"good.example","Username":"me","Secret":"x","ServerURL":"evil.example"}"#
        #expect(throws: KeychainError(.invalidArgument, "")) { try DockerCredentials(json: Array(json.utf8)) }
    }

    /// The error never quotes the input, which has a secret.
    @Test(arguments: [
        "", "{", #"{"Secret":"hunter2""#, #"{"ServerURL":1,"Secret":"hunter2"}"#, "[\"hunter2\"]", "hunter2",
    ])
    func otherInputIsRefusedWithoutQuotingIt(json: String) {
        #expect { try DockerCredentials(json: Array(json.utf8)) } throws: { error in
            (error as? KeychainError)?.code == .invalidArgument && !"\(error)".contains("hunter2")
        }
    }
}
