import CofferClient

/// Chooses service and account of a new item, so that `coffer list` shows something that people recognise.
/// The name only matters to people: clients find an item by its attributes.
enum ItemNameChoice {
    private static let services = [
        "service", "server", "host", "domain", "signon_realm", "origin_url", "url", "application", "xdg:schema",
    ]
    private static let accounts = ["username", "account", "user", "username_value", "login", "email", "name", "app_id"]

    /// - Returns: the name, with an empty account if no attribute has one.
    static func name(label: String, attributes: [String: String]) -> (service: String, account: String) {
        // The provider's own records have that service.
        func isFree(_ name: String) -> Bool { !name.isEmpty && name != CollectionRecord.service }
        let service = services.lazy.compactMap { attributes[$0] }.first(where: isFree)
        let account = accounts.lazy.compactMap { attributes[$0] }.first { !$0.isEmpty }
        // Without a service, the label is all that people know the item by.
        guard let service else { return (cut(isFree(label) ? label : fallback), cut(account ?? "")) }
        return (cut(service), cut(account ?? label))
    }

    private static let fallback = "secret-service"

    /// The same account with a number, for an item whose name is taken.
    static func numbered(_ account: String, _ number: Int) -> String {
        number == 1 ? account : account.isEmpty ? "\(number)" : "\(account) (\(number))"
    }

    /// Cuts a text off between two scalars of Unicode. One character can have any number of them.
    private static func cut(_ text: String) -> String {
        var (kept, bytes) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > StoreLimits.nameBytes { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}
