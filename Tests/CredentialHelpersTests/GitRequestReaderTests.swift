import Coffer
import Testing

@testable import CredentialHelpers

/// git's lines, and what attackers make of them.
@Suite struct GitRequestReaderTests {
    static func read(_ text: String) throws(KeychainError) -> GitRequest { try read(Array(text.utf8)) }

    static func read(_ bytes: [UInt8]) throws(KeychainError) -> GitRequest {
        var reader = GitRequestReader()
        _ = try reader.take(bytes)
        try reader.end()
        return reader.request
    }

    private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    @Test func everyFieldIsRead() throws {
        let request = try Self.read(
            """
            capability[]=authtype
            capability[]=state
            authtype=Bearer
            credential=token=with=equals
            protocol=https
            host=example.com:8443
            path=a b/c.git
            username=
            password=p w
            password_expiry_utc=1893456000
            oauth_refresh_token=xyzzy
            wwwauth[]=Basic realm="x"
            later=unknown

            host=after.the.end
            """)
        #expect(text(request.scheme) == "https")
        #expect(text(request.host) == "example.com:8443")
        #expect(text(request.path) == "a b/c.git")
        #expect(request.username == [])
        #expect(text(request.password?.bytes) == "p w")
        #expect(text(request.authtype) == "Bearer")
        #expect(text(request.credential?.bytes) == "token=with=equals")
        #expect(text(request.refreshToken?.bytes) == "xyzzy")
        #expect(request.expiry == 1_893_456_000)
        #expect(request.takesAuthtype && !request.isEphemeral && !request.isPartial)
    }

    /// The same bytes mean the same in whatever parts they come.
    @Test func partsDoNotMatter() throws {
        let bytes = Array("protocol=https\r\nhost=a.example\nusername=me\npassword=x".utf8)
        for size in 1...bytes.count {
            var reader = GitRequestReader()
            var rest = bytes[...]
            while !rest.isEmpty {
                #expect(try reader.take(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            try reader.end()
            #expect(text(reader.request.scheme) == "https")
            #expect(text(reader.request.host) == "a.example")
            #expect(text(reader.request.password?.bytes) == "x")
        }
    }

    /// Attacker 7. A line that is split by something else than a line feed could name another host (CVE-2020-5260, CVE-2024-52006).
    @Test(arguments: [
        "protocol=https\nhost=evil.example\rhost=good.example\n", "protocol=https\nhost=good.example\0.evil.example\n",
        "protocol=https\nhost=x\nusername=a\rb\n", "protocol=https\nhost=x\npassword=a\0b\n",
        "protocol=ht\rtps\nhost=x\n", "protocol=https\nhost=x\npath=\r\r\n",
    ])
    func carriageReturnsAndNULAreRefused(input: String) {
        #expect(throws: KeychainError(.invalidArgument, "")) { try Self.read(input) }
    }

    /// Attacker 7. A URL with a line break adds a second host, and the last one would get the first one's password (CVE-2020-5260).
    @Test(arguments: [
        "protocol=https\nhost=good.example\nhost=evil.example\n", "protocol=https\nhost=a\nhost=a\n",
        "protocol=https\nprotocol=http\nhost=a\n", "host=a\npath=b\npath=c\n", "host=a\nusername=b\nusername=c\n",
        "host=a\npassword=b\npassword=c\n", "host=a\npassword_expiry_utc=1\npassword_expiry_utc=2\n",
        "host=a\nhost=", "host=\nhost=a\n",
    ])
    func whatMayComeOnceIsRefusedTwice(input: String) {
        #expect(throws: KeychainError(.invalidArgument, "")) { try Self.read(input) }
    }

    @Test func listsMayRepeat() throws {
        let request = try Self.read(
            "capability[]=state\ncapability[]=authtype\nwwwauth[]=a\nwwwauth[]=b\nstate[]=a\nstate[]=b\nlater=1\nlater=2\nhost=a\n"
        )
        #expect(request.takesAuthtype && text(request.host) == "a")
    }

    @Test(arguments: ["nonsense\n", "protocol=https\nhost\n", "protocol"]) func whatIsNoLineIsRefused(input: String) {
        #expect(throws: KeychainError(.invalidArgument, "")) { try Self.read(input) }
    }

    @Test func onlyTheLastCarriageReturnIsDropped() throws {
        let request = try Self.read("protocol=https\r\nhost=x\r\n\r\nhost=y\n")
        #expect(text(request.host) == "x")
    }

    /// Attacker 7. Lines of unknown keys take no memory, and a key that only begins like a known one is unknown.
    @Test func longLinesAreSkipped() throws {
        let long = String(repeating: "a", count: 2 << 20)
        let request = try Self.read(
            "host=good.example\nwwwauth[]=basic realm=\(long)host=evil.example\n\(long)host=evil.example\nhostname=evil\nprotocol=https\n"
        )
        #expect(text(request.host) == "good.example")
        #expect(text(request.scheme) == "https")
    }

    @Test(arguments: [("username", 4096), ("host", 4096), ("protocol", 64), ("password", 1 << 20)])
    func valuesHaveALimit(key: String, limit: Int) throws {
        let fits = String(repeating: "a", count: limit)
        _ = try Self.read("\(key)=\(fits)\r\n")
        #expect(throws: KeychainError(.limitExceeded, "")) { try Self.read("\(key)=\(fits)a\n") }
        #expect(throws: KeychainError(.limitExceeded, "")) { try Self.read("\(key)=\(fits)a") }
    }

    @Test(arguments: [
        ("1", true), ("true", true), ("YES", true), ("on", true), ("7", true), ("nonsense", true), ("0", false),
        ("", false), ("false", false), ("Off", false), ("no", false),
    ])
    func truthIsAsGitHasIt(word: String, isTrue: Bool) throws {
        let request = try Self.read("ephemeral=\(word)\ncontinue=\(word)\n")
        #expect(request.isEphemeral == isTrue && request.isPartial == isTrue)
    }

    @Test(
        arguments: [
            ("9999999999", 9_999_999_999), ("12x", 12), ("0", nil), ("", nil), ("-5", nil), ("x", nil),
            ("99999999999999999999", nil), ("18446744073709551615", UInt64.max),
        ] as [(String, UInt64?)])
    func timesAreAsGitHasThem(text: String, time: UInt64?) throws {
        #expect(try Self.read("password_expiry_utc=\(text)\n").expiry == time)
    }

    @Test func anEmptyCapabilityBeginsTheListAnew() throws {
        #expect(try !Self.read("capability[]=authtype\ncapability[]=\n").takesAuthtype)
        #expect(try Self.read("capability[]=\ncapability[]=authtype\n").takesAuthtype)
    }

    @Test func nothingShowsASecret() throws {
        let request = try Self.read("password=hunter2\ncredential=hunter2\noauth_refresh_token=hunter2\n")
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!dumped.contains("hunter2") && !"\(request)".contains("hunter2"))
        #expect(!dumped.contains("104") && !"\(request)".contains("104"))
    }
}
