/// What an object path of the Secret Service stands for.
enum ObjectPath: Equatable {
    /// A folder on the way to the service, with the names in it.
    case folder([String])
    case service
    case collection(String)
    /// By the name of an alias.
    case alias(String)
    case item(collection: String, String)
    case aliasedItem(alias: String, String)
    case session(String)
    case prompt(String)
    case portal
    /// A request of an application, by its whole path. The front end chooses it.
    case portalRequest(String)

    /// - Returns: nil for a path that no object can have.
    init?(_ path: String) {
        switch path {
        case "/": self = .folder(["org"])
        case "/org": self = .folder(["freedesktop"])
        case "/org/freedesktop": self = .folder(["portal", "secrets"])
        case "/org/freedesktop/portal": self = .folder(["desktop"])
        case ServiceName.portalRoot: self = .portal
        case _ where path.hasPrefix(ServiceName.portalRoot + "/request/"): self = .portalRequest(path)
        case ServiceName.root: self = .service
        default:
            guard path.hasPrefix(ServiceName.root + "/") else { return nil }
            let words = path.dropFirst(ServiceName.root.count + 1).split(
                separator: "/", omittingEmptySubsequences: false
            )
            .map(String.init)
            switch (words[0], words.count) {
            case ("collection", 2): self = .collection(words[1])
            case ("collection", 3): self = .item(collection: words[1], words[2])
            case ("aliases", 2): self = .alias(words[1])
            case ("aliases", 3): self = .aliasedItem(alias: words[1], words[2])
            case ("session", 2): self = .session(words[1])
            case ("prompt", 2): self = .prompt(words[1])
            default: return nil
            }
        }
    }

    static func pathOfCollection(_ id: String) -> String { "\(ServiceName.root)/collection/\(id)" }
    static func pathOfItem(_ id: String, in collection: String) -> String { "\(pathOfCollection(collection))/\(id)" }
    static func pathOfSession(_ id: String) -> String { "\(ServiceName.root)/session/\(id)" }
    static func pathOfPrompt(_ id: String) -> String { "\(ServiceName.root)/prompt/\(id)" }

    /// Whether a text can be an alias. One with a hyphen can only be asked for, because no path has hyphens.
    static func isAlias(_ text: String) -> Bool {
        text.utf8.count <= StoreLimits.aliasLength && isWord(text.replacing("-", with: "_"))
    }

    /// Whether this can be one word of an object path (D-Bus Specification, "Valid Object Paths").
    static func isWord(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// A part of object paths that differs from one run of the provider to the next.
enum ProviderRun {
    static func name() -> String { String(UInt32.random(in: 0 ... .max), radix: 16) }
}
