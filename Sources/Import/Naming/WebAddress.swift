/// The parts of an address that may be shown while a vault is locked.
struct WebAddress: Equatable {
    /// The host's name in lower case, with its port if the address has one.
    let host: String
    /// The address without user, password, query and fragment, in which programs put secrets.
    let shown: String
    /// Whether `shown` is all of the address.
    let isWhole: Bool

    /// - Returns: nil for text that is no address with a host.
    init?(_ text: String) {
        let text = text.trimmingSpaces
        var rest = text[...]
        var scheme = ""
        if let end = text.firstRange(of: "://") {
            scheme = String(text[..<end.upperBound])
            rest = text[end.upperBound...]
        }
        let hidden = rest.drop { $0 != "?" && $0 != "#" }
        rest = rest[..<hidden.startIndex]
        let pathStart = rest.firstIndex(of: "/") ?? rest.endIndex
        var authority = rest[..<pathStart]
        var user: Substring = ""
        if let at = authority.lastIndex(of: "@") {
            user = authority[..<at]
            authority = authority[authority.index(after: at)...]
        }
        guard !authority.isEmpty, !authority.contains(where: { $0.isWhitespace || $0 == "\\" }) else { return nil }
        guard !scheme.isEmpty || authority.contains(".") || authority.hasPrefix("localhost") else { return nil }
        host = authority.lowercased()
        let path = rest[pathStart...]
        shown = scheme + host + (path == "/" ? "" : path)
        isWhole = user.isEmpty && hidden.allSatisfy { $0 == "?" || $0 == "#" }
    }

    /// What may be shown of text that is no address with a host, such as `router/login?token=1`.
    static func openPart(_ text: String) -> String {
        let text = text.trimmingSpaces
        let open = text.prefix { $0 != "?" && $0 != "#" }
        guard let at = open.lastIndex(of: "@") else { return String(open).trimmingSpaces }
        return String(open[open.index(after: at)...]).trimmingSpaces
    }
}
