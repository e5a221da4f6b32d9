import BrokerProtocol
import Coffer

extension Keychain.Item {
    /// The item's name as sentences show it: github/me.
    var shownName: String { ItemText.name(service: service, account: account) }
}

/// An item in words.
enum ItemText {
    static func name(service: String, account: String?) -> String {
        VisibleText.name(service: service, account: account)
    }

    static func access(_ access: Keychain.AccessControl) -> String {
        access.accessibility.rawValue + (access.thisDeviceOnly ? " this-device-only" : "")
    }

    static func requires(_ access: Keychain.AccessControl) -> String? {
        guard !access.require.isEmpty else { return nil }
        return access.require.map(\.rawValue).joined(separator: access.any ? " or " : " and ")
    }

    /// Everything but the value, one fact on each line.
    static func description(_ item: Keychain.Item) -> [String] {
        var facts: [(String, String)] = [
            ("Service", VisibleText.line(item.service)), ("Account", VisibleText.line(item.account)),
        ]
        if let label = item.label { facts.append(("Label", VisibleText.line(label))) }
        if let comment = item.comment { facts.append(("Comment", VisibleText.line(comment))) }
        for (key, value) in item.attributes.sorted(by: { $0.key < $1.key }) {
            facts.append(("Attribute", "\(VisibleText.line(key))=\(VisibleText.line(value))"))
        }
        facts.append(("Access", access(item.access)))
        facts.append(("Requires", requires(item.access) ?? "nothing more"))
        facts.append(("Created", both(item.created)))
        facts.append(("Changed", both(item.modified)))
        if let expires = item.expires { facts.append(("Expires", both(expires))) }
        facts.append(("Version", String(item.version)))
        return facts.map { $0.0 + String(repeating: " ", count: 10 - $0.0.count) + "  " + $0.1 }
    }

    private static func both(_ time: Int64) -> String {
        Output.isTerminal ? "\(TimeText(time).relative()) (\(TimeText(time).clock()))" : TimeText(time).iso8601
    }
}
