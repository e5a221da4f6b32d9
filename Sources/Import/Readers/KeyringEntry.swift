/// An item of a keyring, with the attributes by which programs find it.
public enum KeyringEntry {
    /// Attributes that say what an item is for, the best first.
    private static let services = ["service", "server", "host", "domain", "signon_realm", "origin_url", "application"]
    private static let users = ["username", "user", "account", "username_value", "login"]

    /// - Parameters:
    ///   - created: seconds since 1970; 0 if unknown.
    ///   - changed: as created.
    public static func read(
        _ place: ImportPlace, label: String, collection: String, attributes: [String: String], created: UInt64,
        changed: UInt64, secret: [UInt8]
    ) -> ImportEntry {
        var entry = ImportEntry(place)
        func first(_ names: [String]) -> String? {
            names.lazy.compactMap { attributes[$0] }.first { !$0.isEmpty }
        }
        entry.title = label
        entry.folder = collection
        entry.attributes = stored(attributes)
        entry.service = first(services).flatMap(WebAddress.service) ?? WebAddress.service(label)
        entry.userName = first(users) ?? ""
        entry.created = TimeStamp.text(seconds: Int64(clamping: created))
        entry.changed = TimeStamp.text(seconds: Int64(clamping: changed))
        // A keyring replaces what is older, so two items of one name are two logins.
        entry.isOneOfSeveralStates = false
        entry.password = secret
        return entry
    }

    /// The provider of the Secret Service gives out attributes under these names as they were (docs/secret-service.md).
    private static let quoted = "coffer:attribute:"
    private static let reserved = "coffer:"

    /// The vault takes no empty name or value, and names that begin so are Coffer's own.
    private static func stored(_ attributes: [String: String]) -> [String: String] {
        var stored: [String: String] = [:]
        for (name, value) in attributes {
            if name.isEmpty || value.isEmpty || name.utf8.starts(with: reserved.utf8) {
                stored[quoted + name] = "=" + value
            } else {
                stored[name] = value
            }
        }
        return stored
    }
}
