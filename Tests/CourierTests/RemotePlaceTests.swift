import HTTP
import Testing

@testable import Courier

/// Stores on servers, as people name them and as a vault remembers them.
@Suite struct RemotePlaceTests {
    private static func bucket(_ name: String, _ endpoint: String? = nil, pathStyle: Bool = false) throws -> BucketPlace
    {
        try #require(
            BucketPlace(
                name, endpoint: try endpoint.map { try HTTPAddress($0) }, region: "eu-x-1", isPathStyle: pathStyle))
    }

    @Test func aBucketAnswersAtItsHostOrPath() throws {
        #expect(try Self.bucket("s3://name").address.text == "https://name.s3.eu-x-1.amazonaws.com")
        #expect(try Self.bucket("s3://name", "https://s3.example.org").address.text == "https://name.s3.example.org")
        #expect(
            try Self.bucket("s3://name", "https://s3.example.org", pathStyle: true).address.text
                == "https://s3.example.org/name")
        // A number has no names below it, and a certificate none with two dots.
        for endpoint in ["http://127.0.0.1:8333", "http://localhost:8333", "https://[2001:db8::1]"] {
            #expect(try Self.bucket("s3://name", endpoint).address.text == "\(endpoint)/name")
        }
        #expect(try Self.bucket("s3://a.name").address.text == "https://s3.eu-x-1.amazonaws.com/a.name")
        #expect(try Self.bucket("s3://name").key("x") == "x" && Self.bucket("s3://name/a/b/").key("x") == "a/b/x")
    }

    @Test(arguments: [
        "s3://", "s3:///x", "s3://ab", "s3://Name", "s3://na_me", "s3://-name", "s3://na..me", "s3://name//x",
        "s3://name/../x", "s3://name/a b", "s3://name/a=b", "s3://name/%2e", "https://name", "name", "s3://näme",
        "s3://name/\n",
    ])
    func whatNeedsEscapesOrLeadsAwayIsNone(_ name: String) {
        #expect(BucketPlace(name, endpoint: nil) == nil)
    }

    @Test func theRegionAndTheServerAreChecked() throws {
        for region in ["", "eu x", "eu:x", "EU", "e\n"] {
            #expect(BucketPlace("s3://name", endpoint: nil, region: region) == nil)
        }
        #expect(BucketPlace("s3://name", endpoint: try HTTPAddress("https://h/path")) == nil)
    }

    @Test func aVaultRemembersItWhole() throws {
        let places: [RemotePlace] = [
            .bucket(try Self.bucket("s3://name/a/b")),
            .bucket(try Self.bucket("s3://name", "https://s3.example.org:9000", pathStyle: true)),
            .folder(try HTTPAddress("https://cloud.example.org/remote.php/dav/files/me/Coffer")),
        ]
        for place in places { #expect(RemotePlace(text: place.text) == place) }
        #expect(Set(places.map(\.text)).count == 3)
        for text in [
            "", "x", "https://h/x y", "https://h eu-x-1 host s3://name/", "https://h eu-x-1 both s3://name",
            "http://h/",
            "https://h  host s3://name", "https://h/ eu-x-1 host s3://name",
        ] {
            #expect(RemotePlace(text: text) == nil, "\(text)")
        }
    }
}
