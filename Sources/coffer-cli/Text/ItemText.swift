import Coffer
import FoundationEssentials

extension ItemAttributes {
    var kind: ItemKind { name.itemClass }

    /// The item's name as sentences show it: github/me.
    var shownName: String { ItemText.name(service: service, account: account, kind: kind) }
}

/// An item in words.
enum ItemText {
    static func name(service: String, account: String?, kind: ItemKind? = nil) -> String {
        VisibleText.name(service: service, account: account, kind: kind)
    }

    static func access(_ access: AccessControl) -> String {
        access.accessibility.rawValue + (access.isThisDeviceOnly ? " this-device-only" : "")
    }

    static func requires(_ access: AccessControl) -> String? {
        guard !access.requirements.isEmpty else { return nil }
        return access.requirements.inOrder.map(\.rawValue).joined(separator: access.anyIsEnough ? " or " : " and ")
    }

    /// Everything but the value, one fact on each line.
    static func description(_ item: ItemAttributes) -> [String] {
        var facts: [(String, String)] = [
            ("Service", VisibleText.line(item.service)), ("Account", VisibleText.line(item.account)),
        ]
        if item.kind != .genericPassword { facts.append(("Kind", item.kind.rawValue)) }
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
        if item.hasNamedFields {
            facts += item.fields.map {
                ("Field", "\(VisibleText.line($0.name.text)) (\($0.kind.rawValue)), set \(both($0.set))")
            }
        }
        return facts.map { $0.0 + String(repeating: " ", count: 10 - $0.0.count) + "  " + $0.1 }
    }

    private static func both(_ time: Date) -> String {
        Output.isTerminal ? "\(TimeText(time).relative()) (\(TimeText(time).clock()))" : TimeText(time).iso8601
    }
}

/// An item as `--json` gives it.
struct ItemDescription: Encodable {
    private let id: String
    private let service: String
    private let account: String
    private let kind: ItemKind
    private let label: String?
    private let comment: String?
    private let attributes: [String: String]
    private let access: AccessControl
    private let created: String
    private let modified: String
    private let expires: String?
    private let version: Int
    private let biometrySet: String?
    /// Left out if the field secret is the only one.
    private let fields: [One]?

    /// A field, never its value.
    private struct One: Encodable {
        let name: String
        let kind: FieldKind
        let set: String
    }

    init(_ item: ItemAttributes) {
        id = item.id
        service = item.service
        account = item.account
        kind = item.kind
        label = item.label
        comment = item.comment
        attributes = item.attributes
        access = item.access
        created = TimeText(item.created).iso8601
        modified = TimeText(item.modified).iso8601
        expires = item.expires.map { TimeText($0).iso8601 }
        version = item.version
        biometrySet = item.biometrySet
        fields =
            item.hasNamedFields
            ? item.fields.map { One(name: $0.name.text, kind: $0.kind, set: TimeText($0.set).iso8601) } : nil
    }
}

/// Items as a table. For a person the columns are aligned; for a program they are separated by tabs, with exact times.
/// The last columns are there only if they say something: when an item expires, and the kind of one that is not generic.
enum ItemTable {
    private static let header = ["SERVICE", "ACCOUNT", "ACCESS", "REQUIRES", "CHANGED"]
    /// - Parameter width: the terminal's width, so that each item stays on one line. Text that is too long is cut and ends in “…”.
    static func lines(_ items: [ItemAttributes], aligned: Bool, width: Int? = nil) -> [String] {
        var rows = [header] + items.map { row($0, aligned: aligned) }
        if items.contains(where: { $0.expires != nil }) {
            rows = zip(rows, ["EXPIRES"] + items.map { $0.expires.map { time($0, aligned) } ?? "-" }).map { $0 + [$1] }
        }
        if items.contains(where: { $0.kind != .genericPassword }) {
            rows = zip(rows, ["KIND"] + items.map(\.kind.rawValue)).map { $0 + [$1] }
        }
        // The names give way first, then the requirements, and then the rest.
        return aligned
            ? Columns.aligned(rows, width: width, narrowing: [[0, 1], [3], [2], Array(4..<rows[0].count)])
            : rows.map { $0.joined(separator: "\t") }
    }

    private static func time(_ time: Date, _ aligned: Bool) -> String {
        aligned ? TimeText(time).relative() : TimeText(time).iso8601
    }

    private static func row(_ item: ItemAttributes, aligned: Bool) -> [String] {
        [
            VisibleText.line(item.service), VisibleText.line(item.account), ItemText.access(item.access),
            ItemText.requires(item.access) ?? "-",
            time(item.modified, aligned),
        ]
    }
}

extension AccessControl: Encodable {
    private enum Keys: String, CodingKey { case accessibility, thisDeviceOnly, require, any }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(accessibility, forKey: .accessibility)
        try container.encode(isThisDeviceOnly, forKey: .thisDeviceOnly)
        try container.encode(requirements.inOrder, forKey: .require)
        try container.encode(anyIsEnough, forKey: .any)
    }
}
