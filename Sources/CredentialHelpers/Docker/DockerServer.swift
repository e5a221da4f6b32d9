import Coffer

/// A registry's address, as docker and podman give it: `https://index.docker.io/v1/`, `localhost:5000`.
///
/// Two addresses are the same server if scheme, host, port and path agree. A scheme that is left out is `https`. The host's case, slashes at the end,
/// and what follows a question mark do not matter.
struct DockerServer: Sendable {
    /// As it was given.
    let url: String
    /// `docker:https://index.docker.io/v1`
    let service: String
    private let scheme: String
    private let host: String

    /// - Throws: `.invalidArgument`.
    init(_ url: String) throws(KeychainError) {
        guard !url.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Self.unusable("the server URL has a control character")
        }
        var rest = url[...]
        var scheme = "https"
        if let mark = rest.firstRange(of: "://") {
            scheme = rest[..<mark.lowerBound].lowercased()
            rest = rest[mark.upperBound...]
        } else if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
        }
        guard scheme == "https" || scheme == "http" else {
            throw Self.unusable("unsupported scheme: \(VisibleText.line(scheme))")
        }
        rest = rest.prefix { $0 != "?" && $0 != "#" }
        let host = rest.prefix { $0 != "/" }
        // What stands before an @ could make one server look like another.
        guard !host.contains("@") else { throw Self.unusable("the server URL has a user name") }
        // Several colons are an address of IPv6 without brackets.
        guard !host.isEmpty, !host.hasPrefix(":") || host.dropFirst().contains(":") else {
            throw Self.unusable("no hostname in URL")
        }
        var path = rest.dropFirst(host.count)
        while path.last == "/" { path.removeLast() }
        self.url = url
        self.scheme = scheme
        self.host = URLText.encode(host.lowercased().utf8, keeping: URLText.host)
        service = "docker:\(scheme)://\(self.host)\(URLText.encode(path.utf8, keeping: URLText.path))"
    }

    private static func unusable(_ message: String) -> KeychainError { KeychainError(.invalidArgument, message) }

    /// What an entry can be searched by. The address comes back in `list` as it was given.
    var attributes: [String: String] {
        URLText.serverAttributes(ofHost: host).merging(["protocol": scheme, "url": url]) { $1 }
    }
}
