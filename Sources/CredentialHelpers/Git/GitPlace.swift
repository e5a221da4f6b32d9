import Coffer

/// The place that a request of git's is about, and the names of its entries. `docs/git.md` has the format.
///
/// Everything is compared byte for byte, as git does. A request without a path matches entries with any path, and one without a user those of any user.
struct GitPlace: Sendable {
    /// `git:https://example.com:8443`
    let server: String
    /// Begins with a slash. nil: none was sent.
    let path: String?
    /// nil: none was sent.
    let username: String?
    private let scheme: String
    private let host: String

    /// The end of the service of an entry that has no user name at all, not even an empty one.
    static let nobody = "#no-user"

    /// - Throws: `.invalidArgument` if the request does not name a place. So an empty request never matches everything (CVE-2020-11008).
    init(_ request: GitRequest) throws(KeychainError) {
        let scheme = try GitRefusal.scheme(of: request)
        let host = try GitRefusal.host(of: request)
        username = try GitRefusal.username(of: request)
        self.scheme = String(decoding: scheme, as: UTF8.self)
        self.host = URLText.encode(host, keeping: URLText.host)
        server = "git:\(self.scheme)://\(self.host)"
        path = request.path.map { "/" + URLText.encode($0, keeping: URLText.path) }
    }

    /// The name of the entry that this place would be stored as.
    var name: ItemName {
        ItemName(
            service: server + (path ?? "") + (username == nil ? Self.nobody : ""), account: username ?? "",
            itemClass: .internetPassword)
    }

    /// The place as a URL, without the user.
    var shown: String { server.dropFirst("git:".count) + (path ?? "") }

    /// What an entry of this server can be found by.
    var attributes: [String: String] {
        URLText.serverAttributes(ofHost: host).merging(["protocol": scheme]) { $1 }
    }

    func matches(_ entry: ItemName) -> Bool {
        var service = Array(entry.service.utf8)
        let hasUser = !service.hasEnd(Self.nobody)
        if !hasUser { service.removeLast(Self.nobody.utf8.count) }
        if let username {
            guard hasUser, entry.account.utf8.elementsEqual(username.utf8) else { return false }
        }
        let server = Array(server.utf8)
        if let path { return service.elementsEqual(server + Array(path.utf8)) }
        return service == server || service.starts(with: server + [UInt8(ascii: "/")])
    }

    /// How far an entry that matches is from the request: 0 if it has no path and no user but those that were asked for.
    func distance(to entry: ItemName) -> Int {
        let service = entry.service.utf8
        let hasPath =
            service.count > server.utf8.count && service.dropFirst(server.utf8.count).first == UInt8(ascii: "/")
        return (hasPath && path == nil ? 2 : 0) + (Self.hasUser(entry) && username == nil ? 1 : 0)
    }

    /// Whether an entry is for a user.
    static func hasUser(_ entry: ItemName) -> Bool { !Array(entry.service.utf8).hasEnd(nobody) }
}

extension [UInt8] {
    fileprivate func hasEnd(_ end: String) -> Bool { suffix(end.utf8.count).elementsEqual(end.utf8) }
}
