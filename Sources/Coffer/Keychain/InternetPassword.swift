import FoundationEssentials

/// The place on the network that a password is for: what `kSecClassInternetPassword` of Apple's Security framework has.
///
/// ```swift
/// let server = try InternetServer(scheme: "https", host: "example.com", port: 8443)
/// let password = try await keychain.internetPassword(for: "me", on: server)
/// ```
public struct InternetServer: Sendable, Hashable {
    /// The scheme, such as `https`. Lower case.
    public let scheme: String
    /// A host name or an address. Lower case, and without the brackets that an IPv6 address has in a URL.
    public let host: String
    /// nil: the scheme's usual port.
    public let port: Int?
    /// Begins with a slash; empty for all of the server.
    public let path: String

    /// - Throws: `.invalidArgument` if a part is empty or has a character that would make two servers look alike.
    public init(scheme: String, host: String, port: Int? = nil, path: String = "") throws(KeychainError) {
        let (scheme, host) = (scheme.lowercased(), Self.withoutBrackets(host.lowercased()))
        let schemeIsValid = !scheme.isEmpty && scheme.utf8.allSatisfy { Self.schemeCharacters.contains($0) }
        let hostIsValid =
            !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !Self.delimiters.contains($0) }
            && (!host.utf8.contains(UInt8(ascii: ":")) || Self.isIPv6Address(host))
        let pathIsValid = path.isEmpty || (path.utf8.first == UInt8(ascii: "/") && !path.utf8.contains(0))
        guard schemeIsValid, hostIsValid, pathIsValid, port.map({ (1...65535).contains($0) }) ?? true else {
            throw KeychainError(
                .invalidArgument, "this is not a server: \(VisibleText.line("\(scheme)://\(host)\(path)"))",
                advice: "give scheme, host, a port by itself from 1 to 65535, and a path that begins with a slash")
        }
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    fileprivate static func withoutBrackets(_ host: String) -> String {
        guard host.hasPrefix("["), host.hasSuffix("]"), host.utf8.contains(UInt8(ascii: ":")) else { return host }
        return String(host.dropFirst().dropLast())
    }

    /// Whether it is an IPv6 address, with or without a zone: it has two colons or more. A host with its port has one.
    private static func isIPv6Address(_ host: String) -> Bool {
        let (address, zone) = (host.prefix { $0 != "%" }.utf8, host.drop { $0 != "%" }.utf8)
        return address.count { $0 == UInt8(ascii: ":") } > 1 && zone.count != 1
            && address.allSatisfy { addressCharacters.contains($0) }
    }

    private static let addressCharacters = Set("0123456789abcdef:.".utf8)
    private static let schemeCharacters = Set("abcdefghijklmnopqrstuvwxyz0123456789+-.".utf8)
    private static let delimiters = Set("/?#@\\[]".utf8)

    /// The item's service: `https://example.com:8443/path`.
    public var service: String {
        let shownHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme)://\(shownHost)\(port.map { ":\($0)" } ?? "")\(path)"
    }

    /// What the item can be searched by.
    var attributes: [String: String] {
        var attributes = ["protocol": scheme, "server": host]
        if let port { attributes["port"] = String(port) }
        if !path.isEmpty { attributes["path"] = path }
        return attributes
    }
}

/// Passwords for servers. They are apart from the keychain's own items, and the same for every program of the user.
extension Keychain {
    private func passwords(for server: InternetServer) -> Keychain {
        of(service: server.service).items(ofClass: .internetPassword)
    }

    /// Stores a password for an account on a server.
    /// ```swift
    /// let server = try InternetServer(scheme: "https", host: "example.com")
    /// try await keychain.setInternetPassword("s3cret", for: "me", on: server)
    /// ```
    @discardableResult
    public func setInternetPassword(
        _ password: String, for account: String, on server: InternetServer, access: AccessControl? = nil
    ) async throws(KeychainError) -> ItemAttributes {
        try await passwords(for: server).set(
            password, for: account, access: access, attributes: server.attributes)
    }

    /// The password of an account on exactly this server.
    public func internetPassword(
        for account: String, on server: InternetServer, reason: String? = nil
    ) async throws(KeychainError) -> String {
        try await passwords(for: server).string(for: account, reason: reason)
    }

    /// Deletes the password of an account on a server. An absent one is fine.
    /// - Returns: whether there was one.
    @discardableResult
    public func deleteInternetPassword(
        for account: String, on server: InternetServer
    ) async throws(KeychainError) -> Bool {
        try await passwords(for: server).delete(account)
    }

    /// The items for a host, with any scheme, port and path.
    public func internetPasswords(host: String) async throws(KeychainError) -> [ItemAttributes] {
        let host = InternetServer.withoutBrackets(host.lowercased())
        var found = try await internetPasswords(server: host)
        // Former versions, and other programs, have stored an IPv6 address with its brackets.
        if host.utf8.contains(UInt8(ascii: ":")) { found += try await internetPasswords(server: "[\(host)]") }
        return found
    }

    private func internetPasswords(server: String) async throws(KeychainError) -> [ItemAttributes] {
        try await backend.items(
            matching: ItemQuery(itemClass: .internetPassword, attributes: ["server": server]), in: vault)
    }
}
