import BrokerProtocol
import Testing

@testable import coffer_cli

/// A reference names exactly one item, or is refused.
@Suite struct ReferenceTests {
    private func read(_ text: String) throws -> SecretReference { try SecretReference(parsing: text) }

    @Test func names() throws {
        let whole = try read("coffer://github/me")
        #expect((whole.service, whole.account) == ("github", "me"))
        let alone = try read("coffer://github")
        #expect((alone.service, alone.account) == ("github", nil))
        let empty = try read("coffer://github/")
        #expect((empty.service, empty.account) == ("github", ""))
        let encoded = try read("coffer://a%2Fb%20c/%25%3f+é%C3%A9")
        #expect((encoded.service, encoded.account) == ("a/b c", "%?+éé"))
        let address = try read("coffer://smtp:587/me@example.org")
        #expect((address.service, address.account) == ("smtp:587", "me@example.org"))
    }

    @Test func fields() throws {
        let pin = try read("coffer://github/me/pin")
        #expect((pin.service, pin.account, pin.field) == ("github", "me", "pin"))
        // What is read is the field, never the secret in its place.
        #expect(pin.name.field == "pin" && pin.shownName == "github/me, field pin")
        #expect(pin != (try read("coffer://github/me")))
        let encoded = try read("coffer://a//door%20code%2F1?group=ops")
        #expect((encoded.account, encoded.field?.text) == ("", "door code/1") && encoded.vault == .group("ops"))
        // One field has one spelling, because a call names it once.
        #expect(try read("coffer://a/b/secret") == read("coffer://a/b"))
        #expect(try read("coffer://a/b/secret").name.field == nil)
    }

    @Test func vaultAndKind() throws {
        #expect(try read("coffer://a/b?group=ops%26dev&kind=key").vault == .group("ops&dev"))
        #expect(try read("coffer://a/b?group=ops&kind=key").kind == .key)
        #expect(try read("coffer://a?user=backup").vault == .account("backup"))
    }

    static let wrong = [
        "", "github/me", "Coffer://a/b", "coffer:/a/b", "coffer:a/b", "coffer://", "coffer:///b", "coffer://a/b/c/d",
        "coffer://a/b/", "coffer://a/b/%0A", "coffer://a/b/%C2%85", "coffer://a//", "coffer://a/b/c?d",
        "coffer://a/b#c", "coffer://a b/c", "coffer://a/b\n", "coffer://a/%", "coffer://a/%2", "coffer://a/%2g",
        "coffer://a/%00", "coffer://%00", "coffer://a/%C0%AF", "coffer://a/%E0%80%AF", "coffer://a/%ED%A0%80",
        "coffer://a/%FF", "coffer://a/%EF%BF%BD", "coffer://a/\u{FFFD}", "coffer://a/b?", "coffer://a/b?group",
        "coffer://a/b?group=", "coffer://a/b?group=x&group=y", "coffer://a/b?group=x&user=y", "coffer://a/b?kind=pin",
        "coffer://a/b?kind=", "coffer://a/b?Group=x", "coffer://a/b?group=x&", "coffer://a/b?gr%6Fup=x",
        "coffer://a/b?version=2", "coffer://a/b?group=x?user=y", "coffer://a/\u{301}b/c/d", "coffer://{a}/b",
        "coffer://a/b\u{7F}", "coffer://a\\b/c", " coffer://a/b",
        "coffer://" + String(repeating: "a", count: 1025), "coffer://a/" + String(repeating: "%61", count: 1025),
        "coffer://a/b/" + String(repeating: "f", count: 129),
        "coffer://a/b?group=" + String(repeating: "g", count: 257),
        "coffer://a/b?kind=" + String(repeating: "g", count: 10_000),
    ]

    @Test(arguments: wrong)
    func refused(text: String) { #expect(throws: SecretReference.Mistake.self) { try read(text) } }

    /// An error may end in a log. The reference may be a secret that was put in its place.
    @Test(arguments: wrong)
    func noErrorRepeatsTheText(text: String) throws {
        let mistake = try #require(throws: SecretReference.Mistake.self) { try read(text) }
        let told = "\(mistake.reason) \(mistake.advice)"
        #expect(text.count < 12 || text.hasPrefix("coffer://a") || !told.contains(text))
    }

    /// Two items whose names Unicode calls equivalent are two items.
    @Test func equivalentTextsAreTwoReferences() throws {
        let (one, other) = (try read("coffer://a/\u{E9}"), try read("coffer://a/e\u{301}"))
        #expect(one != other)
        #expect(Set([one, other]).count == 2)
        #expect(one.text == "coffer://a/%C3%A9")
    }

    @Test(arguments: [
        "coffer://a/b", "coffer://a%2Fb/?kind=key", "coffer://é%20?group=x%26y", "coffer://a?user=u",
        "coffer://a/b/pin", "coffer://a//door%20code%2F?kind=key",
    ])
    func writtenAndReadAgain(text: String) throws {
        let reference = try read(text)
        #expect(try read(reference.text) == reference)
    }

    @Test func whatIsMeantAsOne() {
        for text in ["coffer://a/b", "COFFER://a", "coffer:/a", "cOffer:/"] {
            #expect(SecretReference.isMeant(Array(text.utf8)), "\(text)")
        }
        for text in ["", "coffer:", "coffer", "xcoffer://a", "coffer\u{1A}/", "COFFER\u{1A}//", "coffer:\u{0F}/"] {
            #expect(!SecretReference.isMeant(Array(text.utf8)), "\(text)")
        }
    }
}
