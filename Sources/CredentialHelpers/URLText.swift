/// Percent-encoding (RFC 3986) for the parts of entries' names. Everything but plain ASCII is encoded, so that two names never look alike, and no part
/// can pass for another.
enum URLText {
    /// What stays as it is in a host, with its port.
    static let host = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:[]".utf8)
    /// What stays as it is in a path.
    static let path = host.union("/@!$&'()*+,;=".utf8).subtracting("[]".utf8)
    /// What a protocol consists of.
    static let scheme = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.".utf8)

    static func encode(_ bytes: some Sequence<UInt8>, keeping kept: Set<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if kept.contains(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// What an entry can be searched by: the host in lower case, and the port, if there is one.
    static func serverAttributes(ofHost host: String) -> [String: String] {
        var name = host.lowercased()[...]
        var attributes: [String: String] = [:]
        if let colon = name.lastIndex(of: ":"), let port = UInt16(name[name.index(after: colon)...]) {
            attributes["port"] = String(port)
            name = name[..<colon]
        }
        if !name.isEmpty { attributes["server"] = String(name) }
        return attributes
    }
}
