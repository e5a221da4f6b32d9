import Coffer
import Testing

@testable import CredentialHelpers

/// Which entries a request names. Every other entry must stay out of its reach.
@Suite struct GitPlaceTests {
    private func place(_ lines: String) throws -> GitPlace { try GitPlace(GitRequestReaderTests.read(lines)) }

    private func url(_ scheme: String, _ host: String, _ path: String? = nil, _ user: String? = nil) throws -> GitPlace
    {
        try place(
            "protocol=\(scheme)\nhost=\(host)\n" + (path.map { "path=\($0)\n" } ?? "")
                + (user.map { "username=\($0)\n" } ?? ""))
    }

    @Test func namesAreURLs() throws {
        let name = try url("https", "example.com:8443", "a b/c%2F.git", "me@corp").name
        #expect(name.service == "git:https://example.com:8443/a%20b/c%252F.git")
        #expect(name.account == "me@corp")
        #expect(name.itemClass == .internetPassword)
        #expect(try url("https", "example.com", nil, "").name.service == "git:https://example.com")
        #expect(try url("https", "example.com").name.service == "git:https://example.com#no-user")
    }

    /// Hosts that a person or a server could take for each other are different places.
    @Test func hostsAreComparedByteForByte() throws {
        let hosts = [
            "example.com", "EXAMPLE.com", "example.com.", "example.com:443", "example.com:0443", "user@example.com",
            "example.com@evil.example", "example.com/evil", "example.com%2Fevil", "example.com#no-user",
            "example.com?x", "ex\u{E4}mple.com", "exa\u{308}mple.com", "ex\u{430}mple.com", "xn--exmple-cua.com",
            "[::1]", "::1",
            "sub.example.com", "example.co", "example.com\u{200B}", " example.com",
        ]
        for wanted in hosts {
            for stored in hosts {
                let name = try url("https", stored, nil, "me").name
                #expect(
                    try url("https", wanted).matches(name)
                        == (wanted == stored && wanted.utf8.elementsEqual(stored.utf8)))
            }
        }
    }

    @Test func eachPartCounts() throws {
        let entry = try url("https", "h", "p.git", "me").name
        #expect(try url("https", "h", "p.git", "me").matches(entry))
        #expect(try url("https", "h", "p.git").matches(entry))
        #expect(try url("https", "h", nil, "me").matches(entry))
        #expect(try url("https", "h").matches(entry))
        #expect(try !url("http", "h").matches(entry))
        #expect(try !url("https", "h", "p").matches(entry))
        #expect(try !url("https", "h", "p.git/").matches(entry))
        #expect(try !url("https", "h", "").matches(entry))
        #expect(try !url("https", "h", nil, "Me").matches(entry))
        #expect(try !url("https", "h", nil, "").matches(entry))
        #expect(try !url("https", "h", "p.git").matches(try url("https", "h", nil, "me").name))
    }

    /// An empty user name is a name. No user name is something else.
    @Test func noUserIsNotTheEmptyUser() throws {
        let (nobody, empty) = (try url("https", "h"), try url("https", "h", nil, ""))
        #expect(nobody.name != empty.name)
        #expect(nobody.matches(empty.name) && nobody.matches(nobody.name) && empty.matches(empty.name))
        #expect(!empty.matches(nobody.name))
        #expect(GitPlace.hasUser(empty.name) && !GitPlace.hasUser(nobody.name))
        // Nobody can make one from the other by a path.
        let forged = try url("https", "h", "x#no-user", "")
        #expect(GitPlace.hasUser(forged.name))
    }

    /// A path or host that holds the separators of names does not become another place.
    @Test func noPartPassesForAnother() throws {
        let entry = try url("https", "h", "a/b", "me").name
        #expect(try !url("https", "h/a", "b").matches(entry))
        #expect(try !url("https", "h%2Fa", "b").matches(entry))
        #expect(try url("https", "h", "a%2Fb").name != entry)
        #expect(throws: KeychainError(.invalidArgument, "")) { try url("https://h/a", "b") }
    }

    /// An empty request must not match everything (CVE-2020-11008).
    @Test(arguments: [
        "", "protocol=https\n", "host=h\n", "protocol=\nhost=h\n", "protocol=https\nhost=\n", "username=me\n",
        "protocol=https\nhost=\npath=\n",
    ])
    func aRequestMustNameAPlace(lines: String) {
        #expect(throws: KeychainError(.invalidArgument, "")) { try place(lines) }
    }

    @Test func aCertificateHasAPathAndNoHost() throws {
        #expect(
            try place("protocol=cert\nhost=\npath=/etc/me.pem\nusername=\n").name.service == "git:cert:////etc/me.pem")
    }

    @Test func userNamesAreText() throws {
        #expect(throws: KeychainError(.invalidArgument, "")) {
            try GitPlace(GitRequestReaderTests.read(Array("protocol=https\nhost=h\nusername=".utf8) + [0xFF]))
        }
        #expect(throws: KeychainError(.invalidArgument, "")) { try url("https", "h", nil, "a\u{1B}[2J") }
        #expect(try url("https", "h", nil, "j\u{F6}rg").matches(try url("https", "h", nil, "j\u{F6}rg").name))
        #expect(try !url("https", "h", nil, "jo\u{308}rg").matches(try url("https", "h", nil, "j\u{F6}rg").name))
    }

    @Test func attributesAreForSearching() throws {
        #expect(
            try url("https", "Example.com:8443").attributes
                == ["protocol": "https", "server": "example.com", "port": "8443"])
        #expect(try url("https", "[::1]").attributes == ["protocol": "https", "server": "[::1]"])
        #expect(try url("https", "example.com:").attributes == ["protocol": "https", "server": "example.com:"])
    }
}
