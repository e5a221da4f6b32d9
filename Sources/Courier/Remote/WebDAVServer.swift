import Authorization
import Circle
import HTTP
import XML

/// A folder of a WebDAV server, for example of Nextcloud or Apache.
struct WebDAVServer: RemoteServer {
    private let address: HTTPAddress
    private let connection: RemoteConnection
    private let limits: CourierLimits

    init(
        _ address: HTTPAddress, _ access: StoreAccess, patience: RemotePatience,
        limits: CourierLimits = CourierLimits(), time: HTTPLimits = HTTPLimits()
    ) {
        connection = RemoteConnection(address.text, .basic, access, patience: patience, limits: time)
        (self.address, self.limits) = (address, limits)
    }

    var usesFormer: Bool { connection.usesFormer }

    func circles() throws(StoreError) -> [StatementName] {
        guard let top = try list("") else { throw StoreError(.missing, at: address.text) }
        let circles = Set(
            top.entries.compactMap { entry -> StatementName? in
                guard case .beacon(let circle) = StorePath("\(entry.name)/\(StorePath.beaconName)") else { return nil }
                return circle
            })
        guard circles.count <= limits.circles else { throw StoreError(.tooMany, at: address.text) }
        return circles.sorted()
    }

    /// One request for each folder. Servers refuse to name all at once.
    func files(of circle: StatementName) throws(StoreError) -> [RemoteFile] {
        let whole = Hex.encode(circle.bytes)
        // One budget for everything: a folder of many full folders costs no more than one.
        var left = limits.names
        func names(_ place: String) throws(StoreError) -> [WebDAVList.Entry] {
            let found = try list(place)
            // A name that takes the room of many costs as much as many.
            left -= max(found?.entries.count ?? 0, (found?.size ?? 0) / RemoteLimits.entry) + 1
            guard left >= 0 else { throw StoreError(.tooMany, at: "\(address.text)/\(place)") }
            return found?.entries ?? []
        }
        var files: [RemoteFile] = []
        for entry in try names("\(whole)/heads") {
            guard let path = StorePath("\(whole)/heads/\(entry.name)"), case .head = path else { continue }
            files.append(RemoteFile(path: path, tag: entry.tag))
        }
        for device in try names(whole) {
            guard case .head? = StorePath("\(whole)/heads/\(device.name)") else {
                guard device.name == StorePath.knocksName else { continue }
                for entry in try names("\(whole)/\(device.name)") {
                    guard let path = StorePath("\(whole)/\(device.name)/\(entry.name)"), case .knock = path else {
                        continue
                    }
                    files.append(RemoteFile(path: path, tag: entry.tag))
                }
                continue
            }
            for folder in try names("\(whole)/\(device.name)") where FolderStore.isNumber(folder.name) {
                let place = "\(whole)/\(device.name)/\(folder.name)"
                for entry in try names(place) {
                    guard let path = StorePath("\(place)/\(entry.name)"), case .segment = path else { continue }
                    files.append(RemoteFile(path: path, tag: entry.tag, size: entry.size))
                }
            }
        }
        return files
    }

    func read(_ path: StorePath, unless tag: String?) throws(StoreError) -> RemoteContent {
        try read(path.text, limit: path.limit, unless: tag)
    }

    func write(_ bytes: [UInt8], to path: StorePath) throws(StoreError) { try write(bytes, to: path.text) }

    func remove(_ path: StorePath) throws(StoreError) { try remove(path.text) }

    func probe() throws(StoreError) -> [RemoteProperty] {
        guard try list("") != nil else { throw StoreError(.missing, at: address.text) }
        let (name, bytes) = (RemoteProbe.name(), RemoteProbe.content)
        try write(bytes, to: name)
        guard case .bytes(bytes, _) = try read(name, limit: RemoteLimits.reply, unless: nil) else {
            throw StoreError(.notUnderstood, at: address.text)
        }
        try remove(name)
        return []
    }
}

extension WebDAVServer {
    private func read(_ path: String, limit: Int, unless tag: String?) throws(StoreError) -> RemoteContent {
        var request = HTTPRequest(.get, address.appending(path), limit: max(limit, RemoteLimits.reply))
        if let tag { request.headers.append(("If-None-Match", tag)) }
        let answer = try connection.send(request, good: [200, 304, 404, 410])
        switch answer.status {
        case 304 where tag != nil: return .unchanged
        case 200:
            guard answer.body.count <= limit else { throw StoreError(.tooLarge, at: "\(address.text)/\(path)") }
            return .bytes(answer.body, tag: S3Server.tag(answer.headers["etag"]))
        case 304: throw StoreError(.notUnderstood, at: address.text)
        default: return .missing
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
        var request = HTTPRequest(.put, address.appending(path), limit: RemoteLimits.reply)
        request.body = bytes
        // Without its folder, servers say one of these two.
        let missing: Set = [404, 409]
        guard missing.contains(try connection.send(request, good: missing.union([200, 201, 204])).status) else {
            return
        }
        try makeFolders(for: path)
        _ = try connection.send(request, good: [200, 201, 204])
    }

    private func makeFolders(for path: String) throws(StoreError) {
        var place = ""
        for part in path.split(separator: "/").dropLast() {
            place += place.isEmpty ? part : "/\(part)"
            var request = HTTPRequest(.makeFolder, address.appending(place), limit: RemoteLimits.reply)
            request.isFolder = true
            // It may be there already: 405. Some servers answer with a redirect then.
            _ = try connection.send(request, good: [200, 201, 301, 405])
        }
    }

    private func remove(_ path: String) throws(StoreError) {
        let request = HTTPRequest(.delete, address.appending(path), limit: RemoteLimits.reply)
        _ = try connection.send(request, good: [200, 204, 404, 410])
    }

    /// - Returns: nil if there is no such folder.
    private func list(_ place: String) throws(StoreError) -> WebDAVList? {
        var request = HTTPRequest(
            .properties, place.isEmpty ? address : address.appending(place), limit: RemoteLimits.page)
        request.isFolder = true
        request.headers = [("Depth", "1")]
        request.contentType = "application/xml; charset=utf-8"
        request.body = Array(WebDAVList.question.utf8)
        let answer = try connection.send(request, good: [207, 404, 410])
        guard answer.status == 207 else { return nil }
        do throws(XMLError) { return try WebDAVList(answer.body) } catch {
            throw StoreError(error, at: address.text)
        }
    }
}

/// What a folder has in it (RFC 4918, 9.1). The folder itself is in the list, too: it has none of the names that count.
struct WebDAVList: Equatable {
    struct Entry: Equatable {
        /// The last part of its address, without escapes.
        let name: String
        let tag: String?
        var size: Int?
    }

    var entries: [Entry] = []
    /// The bytes of the answer.
    let size: Int

    static let question =
        #"<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop>"#
        + "<getetag/><getcontentlength/></prop></propfind>"
    private static let namespace = "DAV:"

    init(_ body: [UInt8]) throws(XMLError) {
        size = body.count
        let root = try XMLDocument.read(body)
        guard root.name == "multistatus", root.namespace == Self.namespace else { throw XMLError.unexpected }
        for response in root.children("response") {
            guard let address = response["href"]?.text, let last = address.split(separator: "/").last,
                let name = Escapes.decoded(String(last))
            else { continue }
            let properties = response.children("propstat").compactMap { $0["prop"] }
            let tag = properties.compactMap { $0["getetag"]?.text }.first
            let size = properties.compactMap { $0["getcontentlength"]?.text }.first
            entries.append(Entry(name: name, tag: S3Server.tag(tag), size: S3Server.size(size)))
        }
    }
}
