/// An address of a server and a place on it: `https`, or `http` on this machine itself.
///
/// It has no user, no password, no query and no fragment. What is in it needs no more escapes.
package struct HTTPAddress: Sendable, Hashable {
    package let isSecure: Bool
    /// A name, or a number. One of version 6 has its brackets.
    package let host: String
    /// nil for the scheme's usual one.
    package let port: UInt16?
    /// Empty, or it begins with `/`. It does not end with one.
    package private(set) var path: String

    package enum Problem: Error, Sendable, CaseIterable {
        case malformed
        /// `http` to another machine.
        case notSecure
        case hasUser
        case hasQuery
    }

    package init(_ text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        guard bytes.count <= HTTPLimits.address else { throw .malformed }
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            throw .malformed
        }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var path = String(rest.dropFirst(authority.count))
        guard !authority.contains("@") else { throw .hasUser }
        guard !path.contains("?"), !path.contains("#") else { throw .hasQuery }
        while path.hasSuffix("/") { path.removeLast() }
        guard Self.isPath(path) else { throw .malformed }
        (host, port) = try Self.parts(of: authority.lowercased())
        isSecure = scheme == "https://"
        self.path = path
        guard isSecure || isLoopback else { throw .notSecure }
    }

    private init(isSecure: Bool, host: String, port: UInt16?, path: String) {
        (self.isSecure, self.host, self.port, self.path) = (isSecure, host, port, path)
    }

    /// The same place on another host of the same server.
    package func below(host label: String) -> HTTPAddress {
        HTTPAddress(isSecure: isSecure, host: "\(label).\(host)", port: port, path: path)
    }

    /// - Parameter more: parts of a path, which need no escapes.
    package func appending(_ more: String) -> HTTPAddress {
        HTTPAddress(isSecure: isSecure, host: host, port: port, path: "\(path)/\(more)")
    }

    package var text: String { "\(isSecure ? "https" : "http")://\(host)\(port.map { ":\($0)" } ?? "")\(path)" }

    /// This machine itself, by name or number. What goes there crosses no network.
    package var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return isNumber && parts.count == 4 && parts[0] == "127"
    }

    /// Whether the host is a number and no name, so that no name can go before it.
    package var isNumber: Bool {
        host.hasPrefix("[") || host.split(separator: ".").allSatisfy { UInt8($0) != nil }
    }

    private static func parts(of authority: String) throws(Problem) -> (String, UInt16?) {
        let (host, rest): (Substring, Substring)
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw .malformed }
            (host, rest) = (authority[...end], authority[authority.index(after: end)...])
            let digits = host.dropFirst().dropLast().utf8
            guard !digits.isEmpty,
                digits.allSatisfy({ isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { throw .malformed }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority.dropFirst(host.count)
            let labels = host.split(separator: ".", omittingEmptySubsequences: false)
            guard host.utf8.count <= 253, labels.allSatisfy({ isLabel($0) }) else { throw .malformed }
        }
        guard !rest.isEmpty else { return (String(host), nil) }
        guard rest.hasPrefix(":"), rest.dropFirst().utf8.allSatisfy(isDigit), let port = UInt16(rest.dropFirst()),
            port > 0
        else { throw .malformed }
        return (String(host), port)
    }

    private static func isLabel(_ text: Substring) -> Bool {
        let bytes = text.utf8
        return (1...63).contains(bytes.count) && bytes.first != UInt8(ascii: "-") && bytes.last != UInt8(ascii: "-")
            && bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    /// Parts of letters, digits, signs that need no escape, and escapes. None leads upwards, and none is empty.
    private static func isPath(_ path: String) -> Bool {
        guard !path.isEmpty else { return true }
        return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            let bytes = Array(part.utf8)
            guard !bytes.isEmpty, ![".", ".."].contains(Escapes.decoded(String(part))) else { return false }
            for (index, byte) in bytes.enumerated() {
                if byte == UInt8(ascii: "%") {
                    guard index + 2 < bytes.count, isHex(bytes[index + 1]), isHex(bytes[index + 2]) else {
                        return false
                    }
                } else if !isLetter(byte), !isDigit(byte), !"-._~!$&'()*+,;:@".utf8.contains(byte) {
                    return false
                }
            }
            return true
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHex(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
