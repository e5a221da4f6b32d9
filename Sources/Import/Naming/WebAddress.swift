/// The parts of an address that may be shown while a vault is locked.
struct WebAddress: Equatable {
    /// The host's name in lower case, with its port if the address has one.
    let host: String
    /// The address without user, password, query and fragment, in which programs put secrets.
    let shown: String
    /// Whether `shown` is all of the address.
    let isWhole: Bool

    /// - Returns: nil for text that is no address with a host, and for text whose host is not sure.
    init?(_ text: String) {
        // As scalars: for Swift, `@` and an accent after it are one character, which is no `@`.
        let text = text.trimmingSpaces.unicodeScalars
        let start = Self.schemeEnd(of: text)
        var authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let rest = text[authority.endIndex...]
        // People write passwords as they are. In `https://me:p/w@host`, what is before the slash is no host.
        guard !rest.contains("@") || Self.isSurelyHost(authority) else { return nil }
        var user = authority.prefix(0)
        if let at = authority.lastIndex(of: "@") {
            user = authority[..<at]
            authority = authority[authority.index(after: at)...]
        }
        guard !authority.isEmpty, !authority.contains(where: { $0.properties.isWhitespace || $0 == "\\" }) else {
            return nil
        }
        let name = String(Substring(authority))
        guard start > text.startIndex || name.contains(".") || name.hasPrefix("localhost") else { return nil }
        host = name.lowercased()
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        let shownPath = String(Substring(path))
        shown = String(Substring(text[..<start])) + host + (shownPath == "/" ? "" : shownPath)
        isWhole = user.isEmpty && rest[path.endIndex...].allSatisfy { $0 == "?" || $0 == "#" }
    }

    /// Whether text can be no user and password: `https://a.example/@me` names a page. A password follows a colon, and a
    /// token in place of a user has no dot.
    private static func isSurelyHost(_ authority: Substring.UnicodeScalarView) -> Bool {
        authority.contains(".")
            && authority.allSatisfy { $0 == "." || $0 == "-" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    }

    /// Where the scheme ends, with its `://`; the start of the text if it has none. A `://` further on belongs to another
    /// address, as in a query.
    private static func schemeEnd(of text: String.UnicodeScalarView) -> String.Index {
        let scheme = text.prefix { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "+", ".", "-": true
            default: false
            }
        }
        guard let first = scheme.first, first.properties.isAlphabetic else { return text.startIndex }
        let mark = text[scheme.endIndex...].prefix(3)
        return mark.elementsEqual("://".unicodeScalars) ? mark.endIndex : text.startIndex
    }

    /// What a service is called that other programs have named by an address or by another text.
    ///
    /// - Returns: nil if all of it may be a user and a password.
    static func service(_ text: String) -> String? {
        if let address = WebAddress(text) { return address.host }
        let open = text.contains("://") ? openPart(text) : text
        return open.isEmpty ? nil : open
    }

    /// What may be shown of text that is no address with a host, such as `router/login?token=1`.
    /// - Returns: nothing if all of it may be a user and a password.
    static func openPart(_ text: String) -> String {
        let text = text.trimmingSpaces.unicodeScalars
        let open = text.prefix { $0 != "?" && $0 != "#" }
        // In `postgres://me:p#w@host`, a password begins before the `#`.
        guard !text[open.endIndex...].contains("@") else { return "" }
        guard let at = open.lastIndex(of: "@") else { return String(Substring(open)).trimmingSpaces }
        return String(Substring(open[open.index(after: at)...])).trimmingSpaces
    }
}
