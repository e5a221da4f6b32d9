import HTTP

/// A store on a server: a bucket that speaks S3, or a folder of WebDAV.
package enum RemotePlace: Sendable, Hashable {
    case bucket(BucketPlace)
    case folder(HTTPAddress)

    /// As people name it.
    package var name: String {
        switch self {
        case .bucket(let place): place.name
        case .folder(let address): address.text
        }
    }

    /// The server of a bucket; nil for another store.
    package var server: String? {
        switch self {
        case .bucket(let place): place.endpoint.text
        case .folder: nil
        }
    }

    /// Everything about it, in one line. It tells two places apart.
    package var text: String {
        switch self {
        case .bucket(let place):
            "\(place.endpoint.text) \(place.region) \(place.isPathStyle ? "path" : "host") \(place.name)"
        case .folder(let address): address.text
        }
    }

    /// Reads what `text` gives.
    package init?(text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        switch words.count {
        case 1:
            // `try?`: there is no address in it.
            guard let address = try? HTTPAddress(text) else { return nil }
            self = .folder(address)
        case 4:
            // `try?`: as above.
            guard let endpoint = try? HTTPAddress(words[0]), ["path", "host"].contains(words[2]),
                let place = BucketPlace(words[3], endpoint: endpoint, region: words[1], isPathStyle: words[2] == "path")
            else { return nil }
            self = .bucket(place)
        default: return nil
        }
        guard self.text == text else { return nil }
    }
}

/// A bucket, and the part of it that Coffer uses.
package struct BucketPlace: Sendable, Hashable {
    package static let scheme = "s3://"
    /// Amazon's own region if none is named. Other makers take it, too.
    package static let usualRegion = "us-east-1"

    package let endpoint: HTTPAddress
    package let region: String
    package let bucket: String
    /// Empty, or parts with `/` between them.
    package let prefix: String
    /// Whether the bucket goes into the path, and not into the host's name.
    package let isPathStyle: Bool

    /// - Parameters:
    ///   - name: `s3://BUCKET` or `s3://BUCKET/PREFIX`.
    ///   - endpoint: the provider's server; nil for Amazon's in that region.
    /// - Returns: nil if a part of it is none.
    package init?(_ name: String, endpoint: HTTPAddress?, region: String = usualRegion, isPathStyle: Bool = false) {
        guard name.hasPrefix(Self.scheme), Self.isRegion(region) else { return nil }
        let parts = name.dropFirst(Self.scheme.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bucket = parts.first.map(String.init), Self.isBucket(bucket) else { return nil }
        var prefix = parts.count > 1 ? String(parts[1]) : ""
        if prefix.hasSuffix("/") { prefix.removeLast() }
        guard prefix.isEmpty || Self.isPrefix(prefix) else { return nil }
        // `try?`: a region makes a name.
        guard let endpoint = endpoint ?? (try? HTTPAddress("https://s3.\(region).amazonaws.com")),
            endpoint.path.isEmpty
        else { return nil }
        (self.endpoint, self.region, self.bucket, self.prefix) = (endpoint, region, bucket, prefix)
        // No name goes before a number. A name with dots is not in the server's certificate.
        self.isPathStyle = isPathStyle || endpoint.isNumber || endpoint.host == "localhost" || bucket.contains(".")
    }

    package var name: String { "\(Self.scheme)\(bucket)\(prefix.isEmpty ? "" : "/\(prefix)")" }

    /// Where the bucket answers.
    var address: HTTPAddress { isPathStyle ? endpoint.appending(bucket) : endpoint.below(host: bucket) }

    /// The key of something in the store.
    func key(_ path: String) -> String { prefix.isEmpty ? path : "\(prefix)/\(path)" }

    /// Amazon's rules for the names of buckets. So it needs no escapes.
    private static func isBucket(_ text: String) -> Bool {
        (3...63).contains(text.utf8.count) && text.utf8.allSatisfy { isLower($0) || ".-".utf8.contains($0) }
            && text.utf8.first.map(isLower) == true && text.utf8.last.map(isLower) == true && !text.contains("..")
    }

    private static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isLower($0) || $0 == UInt8(ascii: "-") }
    }

    /// Letters and signs that need no escape: escapes would be signed in several ways.
    private static func isPrefix(_ text: String) -> Bool {
        text.utf8.count <= 512
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part != "." && part != ".." && Escapes.encoded(String(part)) == part
            }
    }

    private static func isLower(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
