import HTTP
import Testing

/// Addresses that people name.
@Suite struct HTTPAddressTests {
    @Test(arguments: [
        (
            "https://cloud.example.org/remote.php/dav/files/me%40example.org/Coffer/",
            "https://cloud.example.org/remote.php/dav/files/me%40example.org/Coffer"
        ),
        ("HTTPS://Cloud.Example.ORG", "https://cloud.example.org"), ("https://h:8443/x", "https://h:8443/x"),
        ("http://127.0.0.1:8333", "http://127.0.0.1:8333"), ("http://localhost/x//", "http://localhost/x"),
        ("http://[::1]:80/", "http://[::1]:80"), ("https://[2001:db8::1]/a", "https://[2001:db8::1]/a"),
        ("http://127.9.9.9/", "http://127.9.9.9"),
    ])
    func oneThatCanBeUsedHasOneForm(_ text: String, _ form: String) throws {
        let address = try HTTPAddress(text)
        #expect(address.text == form)
        #expect(try HTTPAddress(form) == address)
    }

    @Test(
        arguments: [
            ("", .malformed), ("cloud.example.org", .malformed), ("ftp://h/", .malformed),
            ("file:///etc/passwd", .malformed),
            ("https://", .malformed), ("https:///x", .malformed), ("https://h:0/", .malformed),
            ("https://h:65536", .malformed),
            ("https://h:80:80/", .malformed), ("https://h:/", .malformed), ("https://-h/", .malformed),
            ("https://h..x/", .malformed),
            ("https://h/../x", .malformed), ("https://h/%2e%2E/x", .malformed), ("https://h/./x", .malformed),
            ("https://h//x", .malformed), ("https://h/%zz", .malformed), ("https://h/%4", .malformed),
            ("https://h/a b", .malformed),
            ("https://h/a\r\nX: y", .malformed), ("https://h\\@x/", .hasUser), ("https://h/ü", .malformed),
            ("https://[::1", .malformed), ("https://[x]/", .malformed), ("https://h\u{0}/", .malformed),
            ("https://me:secret@h/", .hasUser), ("https://h/x?y=z", .hasQuery), ("https://h/#x", .hasQuery),
            // Another machine would get the password in clear, also one with such a name.
            ("http://cloud.example.org/", .notSecure), ("http://127.0.0.1.example.org/", .notSecure),
            ("http://localhost.example.org/", .notSecure), ("http://128.0.0.1/", .notSecure),
            ("http://127.1/", .notSecure),
            ("http://[::2]/", .notSecure), ("http://127.0.0.x/", .notSecure),
        ] as [(String, HTTPAddress.Problem)])
    func anythingElseIsRefused(_ text: String, _ problem: HTTPAddress.Problem) {
        #expect(throws: problem) { try HTTPAddress(text) }
    }

    @Test func oneThatIsTooLongIsRefused() {
        #expect(throws: HTTPAddress.Problem.malformed) {
            try HTTPAddress("https://h/" + String(repeating: "x", count: 2048))
        }
    }

    @Test func escapesAreThoseOfTheSignature() {
        #expect(Escapes.encoded("a/b=c d+é~-._") == "a%2Fb%3Dc%20d%2B%C3%A9~-._")
        for text in ["a/b=c d+é~-._", "", "%", "\u{0}"] { #expect(Escapes.decoded(Escapes.encoded(text)) == text) }
        for text in ["%", "%1", "%zz", "%+1", "%ff"] { #expect(Escapes.decoded(text) == nil) }
    }
}
