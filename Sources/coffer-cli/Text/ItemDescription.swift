import BrokerProtocol

/// An item as `--json` gives it.
struct ItemDescription: Encodable {
    private let id: String
    private let service: String
    private let account: String
    private let label: String?
    private let comment: String?
    private let attributes: [String: String]
    private let access: Keychain.AccessControl
    private let created: String
    private let modified: String
    private let expires: String?
    private let version: Int64
    private let biometrySet: String?

    init(_ item: Keychain.Item) {
        id = item.id
        service = item.service
        account = item.account
        label = item.label
        comment = item.comment
        attributes = item.attributes
        access = item.access
        created = TimeText(item.created).iso8601
        modified = TimeText(item.modified).iso8601
        expires = item.expires.map { TimeText($0).iso8601 }
        version = item.version
        biometrySet = item.biometrySet
    }
}
