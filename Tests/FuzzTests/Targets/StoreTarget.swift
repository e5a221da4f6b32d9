import HTTP
import XML

@testable import Courier
@testable import coffer_cli

/// What a server that keeps a store answers, and what a vault's items say of it: lists, errors, addresses, credentials.
struct StoreTarget: FuzzTarget {
    private static let circle = String(repeating: "ab", count: 32)
    private static let device = String(repeating: "01", count: 16)
    private let lists = [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name>"
            + "<IsTruncated>true</IsTruncated><Contents><Key>p/\(circle)/heads/\(device)</Key><ETag>&quot;e&quot;</ETag></Contents>"
            + "<CommonPrefixes><Prefix>p/\(circle)/</Prefix></CommonPrefixes></ListBucketResult>",
        "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/\(circle)/heads/\(device)</D:href><D:propstat><D:prop>"
            + "<D:getetag>\"e\"</D:getetag></D:prop></D:propstat></D:response></D:multistatus>",
        "<Error><Code>SignatureDoesNotMatch</Code><Region>eu-x-1</Region></Error>",
        "<!DOCTYPE a [<!ENTITY e \"x\"><!ENTITY f \"&e;&e;\">]><a b='c'>&f;<![CDATA[x]]></a>",
    ].map { Array($0.utf8) }
    private let places = [
        "https://cloud.example.org:8443/remote.php/dav/files/me%40x/Coffer", "http://[::1]:80/x",
        "https://s3.example.org eu-x-1 path s3://bucket/a/b", "https://127.0.0.1/ us-east-1 host s3://name",
    ].map { Array($0.utf8) }
    private let keys = ["me\nsecret\n", "me\nsecret\nformer\nold\n", "\n", "/usr/local/bin/role\n"].map {
        Array($0.utf8)
    }
    private let given = [
        "ID\r\nsecret\n",
        #"{"Version":1,"AccessKeyId":"ID","SecretAccessKey":"s","SessionToken":"t","Expiration":"2026-01-01T00:00:00.5+01:00"}"#,
    ].map { Array($0.utf8) }

    init() async throws {}

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let donors = lists + places + keys + given
        switch mutator.below(5) {
        case 0, 1: try list(mutator.bytes(mutator.pick(lists) ?? [], donors: donors))
        case 2: try place(mutator.bytes(mutator.pick(places) ?? [], donors: donors))
        case 3: try output(mutator.bytes(mutator.pick(given) ?? [], donors: donors))
        default: try credentials(mutator.bytes(mutator.pick(keys) ?? [], donors: donors))
        }
    }

    private func list(_ bytes: [UInt8]) throws {
        for isDeep in [true, false] {
            guard let page = try answer({ try S3Page(bytes, isDeep: isDeep) }) else { continue }
            for entry in page.entries {
                // The next page begins behind all of this one, or nothing is taken for the end.
                let end = page.last ?? ""
                try promise(!S3Page.isBehind(entry.key, end) || !isDeep, "a key behind the last one: \(entry.key)")
                try promise(entry.tag.map(Self.isPlain) ?? true, "a tag that is none: \(entry.tag ?? "")")
            }
        }
        for entry in try answer({ try WebDAVList(bytes) })?.entries ?? [] {
            try promise(entry.tag.map(Self.isPlain) ?? true, "a tag that is none: \(entry.tag ?? "")")
        }
        let failure = RemoteFailure(HTTPAnswer(status: 403, body: bytes), now: 0)
        for word in [failure.word, failure.region] {
            try promise(word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }, "a word: \(word)")
        }
        guard let root = try answer({ try XMLDocument.read(bytes) }) else { return }
        try promise(
            !String(decoding: bytes, as: UTF8.self).contains("<!DOCTYPE \(root.name) ["), "a document type was taken")
    }

    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    private func place(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = try answer({ try HTTPAddress(text) }) {
            try promise(address.isSecure || address.isLoopback, "an address in clear: \(text)")
            try promise(try HTTPAddress(address.text) == address, "\(text) is written as another")
            try promise(Self.isPlain(address.text) && !address.text.contains("@h"), "an address: \(address.text)")
        }
        guard let place = RemotePlace(text: text) else { return }
        try promise(place.text == text, "\(text) is written as \(place.text)")
        guard case .bucket(let bucket) = place else { return }
        try promise(Self.isPlain(bucket.address.appending(bucket.key("x")).text), "a bucket's address: \(text)")
    }

    private func credentials(_ bytes: [UInt8]) throws {
        let access = try answer {
            try StoreKeys.access(in: bytes) { CredentialsProgram($0, as: nil, environment: [:]) }
        }
        guard let access else { return }
        try promise(StoreKeys.text(of: access) == bytes, "credentials that are written as others")
        guard case .program(let program) = access else { return }
        try promise(program.path.hasPrefix("/") && !program.path.contains("\0"), "a program: \(program.path)")
    }

    private func output(_ bytes: [UInt8]) throws {
        guard let given = try answer({ try GivenKeys(bytes) }) else { return }
        for secret in [given.keys.secret, given.keys.token].compactMap({ $0 }) {
            let isText = secret.withBytes { text in
                !text.isEmpty && text.indices.allSatisfy { text[$0] >= 0x20 && text[$0] != 0x7F }
            }
            try promise(isText, "a secret that would be more than one header")
        }
        try promise(given.isOver(at: .max) == (given.end != nil), "an end that never comes")
    }
}
