import Authorization
import Circle
import Cryptography
import HTTP
import XML

/// A bucket, as Amazon's S3 and many others have it.
///
/// libcurl signs each request. These have the one shape that all its versions sign rightly: sorted queries, flags with a
/// `=`, and the hash of what is sent as a header of ours (docs/decisions/0032-http.md).
struct S3Server: RemoteServer {
    private let place: BucketPlace
    private let connection: RemoteConnection
    private let limits: CourierLimits

    init(
        _ place: BucketPlace, _ access: StoreAccess, patience: RemotePatience,
        limits: CourierLimits = CourierLimits(), time: HTTPLimits = HTTPLimits()
    ) {
        connection = RemoteConnection(
            place.name, .signed(region: place.region), access, patience: patience, limits: time)
        (self.place, self.limits) = (place, limits)
    }

    var usesFormer: Bool { connection.usesFormer }

    func circles() throws(StoreError) -> [StatementName] {
        let circles = try keys(below: "", isDeep: false) { folder -> StatementName? in
            guard case .beacon(let circle) = StorePath("\(folder.key)\(StorePath.beaconName)") else { return nil }
            return circle
        }
        guard circles.count <= limits.circles else { throw StoreError(.tooMany, at: place.name) }
        return circles.sorted()
    }

    func files(of circle: StatementName) throws(StoreError) -> [RemoteFile] {
        try keys(below: "\(Hex.encode(circle.bytes))/", isDeep: true) { found -> RemoteFile? in
            StorePath(found.key).map { RemoteFile(path: $0, tag: found.tag, size: found.size) }
        }
    }

    func read(_ path: StorePath, unless tag: String?) throws(StoreError) -> RemoteContent {
        var request = request(.get, key: path.text, limit: max(path.limit, RemoteLimits.reply))
        if let tag { request.headers.append(("If-None-Match", tag)) }
        let answer = try connection.send(request, good: [200, 304, 404])
        switch answer.status {
        case 304 where tag != nil: return .unchanged
        case 200:
            guard answer.body.count <= path.limit else {
                throw StoreError(.tooLarge, at: "\(place.name)/\(path.text)")
            }
            return .bytes(answer.body, tag: Self.tag(answer.headers["etag"]))
        default:
            let failure = RemoteFailure(answer, now: nil)
            // A bucket that is not there has no files, too, but that is another matter.
            guard answer.status == 404, failure.word != "NoSuchBucket" else {
                throw StoreError(failure.code, at: place.name, remote: failure)
            }
            return .missing
        }
    }

    func write(_ bytes: [UInt8], to path: StorePath) throws(StoreError) { try write(bytes, key: path.text) }

    func remove(_ path: StorePath) throws(StoreError) { try remove(key: path.text) }

    func probe() throws(StoreError) -> [RemoteProperty] {
        let (key, bytes) = (RemoteProbe.name(), RemoteProbe.content)
        try write(bytes, key: key)
        let answer = try connection.send(request(.get, key: key, limit: RemoteLimits.reply), good: [200])
        guard answer.body == bytes else { throw StoreError(.notUnderstood, at: place.name) }
        try remove(key: key)
        var properties: [RemoteProperty] = []
        for (property, flag) in [(RemoteProperty.versioned, "versioning"), (.locked, "object-lock")] {
            var request = request(.get, key: nil, limit: RemoteLimits.reply)
            request.query = [(flag, "")]
            // What the keys do not allow, or the server does not know, is no obstacle.
            let answer = try connection.send(request, good: [200, 400, 403, 404, 405, 501])
            // `try?`: as above.
            guard answer.status == 200, let root = try? XMLDocument.read(answer.body) else { continue }
            guard ["Status", "ObjectLockEnabled"].contains(where: { root[$0]?.text == "Enabled" }) else { continue }
            properties.append(property)
        }
        return properties
    }
}

extension S3Server {
    private func write(_ bytes: [UInt8], key: String) throws(StoreError) {
        var request = request(.put, key: key, limit: RemoteLimits.reply, body: bytes)
        request.body = bytes
        _ = try connection.send(request, good: [200, 201, 204])
    }

    private func remove(key: String) throws(StoreError) {
        _ = try connection.send(request(.delete, key: key, limit: RemoteLimits.reply), good: [200, 204, 404])
    }

    /// - Parameter key: nil for the bucket itself.
    private func request(
        _ method: HTTPRequest.Method, key: String?, limit: Int, body: [UInt8] = []
    ) -> HTTPRequest {
        var address = place.address
        if let key { address = address.appending(place.key(key)) }
        var request = HTTPRequest(method, address, limit: limit)
        // `try?`: without the hash the server refuses the request, and says so.
        let hash = (try? SHA256.digest(body)).map { Hex.encode($0) } ?? ""
        request.headers = [("x-amz-content-sha256", hash)]
        return request
    }

    /// What the store has below a folder, in the order of the keys.
    /// - Parameters:
    ///   - isDeep: whether what lies in folders in it is named, and not these themselves.
    ///   - take: makes of an entry what is kept of it; nil for one that is not Coffer's.
    private func keys<Found>(
        below folder: String, isDeep: Bool, _ take: (S3Page.Entry) -> Found?
    ) throws(StoreError) -> [Found] {
        let start = place.key(folder)
        var found: [Found] = []
        var count = 0
        var after = ""
        // A server that sends less than it could does not go on for ever.
        for _ in 0..<(2 * limits.names / RemoteLimits.entries + 16) {
            var request = request(.get, key: nil, limit: RemoteLimits.page)
            request.query =
                (isDeep ? [] : [("delimiter", "/")])
                + [("list-type", "2"), ("max-keys", String(RemoteLimits.entries)), ("prefix", start)]
                + (after.isEmpty ? [] : [("start-after", after)])
            let answer = try connection.send(request, good: [200])
            let page: S3Page
            do throws(XMLError) { page = try S3Page(answer.body, isDeep: isDeep) } catch {
                throw StoreError(error, at: place.name)
            }
            for entry in page.entries where entry.key.hasPrefix(start) {
                count += 1
                let key = String(entry.key.dropFirst(start.count - folder.count))
                if let one = take(S3Page.Entry(key: key, tag: entry.tag, size: entry.size)) { found.append(one) }
            }
            guard count <= limits.names else { throw StoreError(.tooMany, at: "\(place.name)/\(folder)") }
            guard page.hasMore else { return found }
            // What begins with the last folder is behind it, and is named by it.
            guard let last = page.last, S3Page.isBehind(last, after) else {
                throw StoreError(.notUnderstood, at: place.name)
            }
            after = last
        }
        throw StoreError(.tooMany, at: "\(place.name)/\(folder)")
    }

    static func size(_ text: String?) -> Int? { text.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }

    static func tag(_ text: String?) -> String? {
        guard let text, (1...256).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        return text
    }
}

/// One page of a bucket's list (ListObjectsV2).
struct S3Page: Equatable {
    struct Entry: Equatable {
        let key: String
        let tag: String?
        var size: Int?
    }

    /// Keys, or the folders.
    var entries: [Entry] = []
    var hasMore = false
    /// Behind what the next page begins; nil if the page has nothing.
    var last: String?

    init(_ body: [UInt8], isDeep: Bool) throws(XMLError) {
        let root = try XMLDocument.read(body)
        guard root.name == "ListBucketResult" else { throw XMLError.unexpected }
        hasMore = root["IsTruncated"]?.text == "true"
        for child in root.children {
            let (key, tag): (String?, String?)
            switch child.name {
            case "Contents": (key, tag) = (child["Key"]?.text, child["ETag"]?.text)
            case "CommonPrefixes": (key, tag) = (child["Prefix"]?.text, nil)
            default: continue
            }
            guard let key else { continue }
            // Longer ones would make a list of many pages fill the memory.
            guard key.utf8.count <= RemoteLimits.key else { throw XMLError.unexpected }
            // A folder's keys are behind its name, and before the name with a `0`, which follows the `/`.
            let end = child.name == "CommonPrefixes" && key.hasSuffix("/") ? key.dropLast() + "0" : key
            if Self.isBehind(end, last ?? "") { last = end }
            guard isDeep == (child.name == "Contents") else { continue }
            entries.append(Entry(key: key, tag: S3Server.tag(tag), size: S3Server.size(child["Size"]?.text)))
        }
    }

    /// Keys are in the order of their bytes.
    static func isBehind(_ key: String, _ other: String) -> Bool { other.utf8.lexicographicallyPrecedes(key.utf8) }
}

/// A file that shows whether a place can be used. Readers ignore its name.
enum RemoteProbe {
    private static let count = 16

    static func name() -> String { "probe-\(Hex.encode((0..<count).map { _ in UInt8.random(in: .min ... .max) }))" }

    /// Others cannot know it.
    static var content: [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}
