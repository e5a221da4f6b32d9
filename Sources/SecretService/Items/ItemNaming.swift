import Coffer

/// Chooses service and account of a new item, so that `coffer list` shows something that people recognise.
/// The name only matters to people: clients find an item by its attributes.
enum ItemNaming {
    private static let services = [
        "service", "server", "host", "domain", "signon_realm", "origin_url", "url", "application", "xdg:schema",
    ]
    private static let accounts = ["username", "account", "user", "username_value", "login", "email", "name", "app_id"]

    /// - Returns: the name, with an empty account if no attribute has one.
    static func name(label: String, attributes: [String: String]) -> (service: String, account: String) {
        let service = services.lazy.compactMap { attributes[$0] }.first { !$0.isEmpty }
        let account = accounts.lazy.compactMap { attributes[$0] }.first { !$0.isEmpty }
        // Without a service, the label is all that people know the item by.
        guard let service else {
            return (cut(label.isEmpty ? "secret-service" : label), cut(account ?? ""))
        }
        return (cut(service), cut(account ?? label))
    }

    /// The same account with a number, for an item whose name is taken.
    static func numbered(_ account: String, _ number: Int) -> String {
        number == 1 ? account : account.isEmpty ? "\(number)" : "\(account) (\(number))"
    }

    /// Cuts a text off between two characters.
    private static func cut(_ text: String) -> String {
        var kept = ""
        for character in text where kept.utf8.count + character.utf8.count <= StoreLimits.nameBytes {
            kept.append(character)
        }
        return kept
    }
}
