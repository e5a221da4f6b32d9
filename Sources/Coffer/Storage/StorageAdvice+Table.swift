extension StorageAdvice {
    /// The table of docs/storage.md. A test holds the page to it.
    package static let table: String = {
        var lines = ["| data | size | store | use | because |", "|---|---|---|---|---|"]
        for kind in DataKind.allCases {
            let all = all(for: kind)
            for (index, advice) in all.enumerated() {
                let size =
                    advice.limit.map { "up to \(shown($0))" } ?? (index == 0 ? "any" : "more")
                lines.append(
                    "| \(index == 0 ? kind.words : "") | \(size) | \(advice.store.words) | `\(advice.use)` | \(advice.reason) |"
                )
            }
        }
        return lines.joined(separator: "\n")
    }()

    private static func shown(_ size: Int) -> String {
        size >= 1 << 20 ? "\(size >> 20) MiB" : "\(size >> 10) KiB"
    }
}

extension DataKind {
    fileprivate var words: String {
        switch self {
        case .credentials: "a login: tokens, name and password, API key"
        case .secret: "another password, token or code"
        case .key: "a key or a certificate"
        case .temporarySecret: "a secret that ends by itself"
        case .setting: "a setting that is no secret"
        case .document: "what a person made: notes, pictures"
        case .support: "what the application needs to work"
        case .cached: "what can be fetched or computed again"
        case .temporary: "data for the time of the session"
        case .records: "many records that are searched"
        }
    }
}

extension StorageAdvice.Store {
    fileprivate var words: String {
        switch self {
        case .keychainItem: "keychain item"
        case .settings: "settings"
        case .protectedFile: "protected file"
        case .cache: "cache"
        case .database: "database"
        }
    }
}
