import BrokerProtocol
import Vault

/// An item as `List` and all other calls show it: everything but the secret. The secret is not in the summary either.
extension Keychain.Item {
    init(_ summary: ItemSummary) {
        let metadata = summary.metadata
        self.init(
            id: summary.id.description, service: metadata.service, account: metadata.account,
            kind: metadata.kind, label: metadata.label,
            comment: metadata.comment, attributes: metadata.attributes, access: summary.access,
            created: Int64(clamping: metadata.created), modified: Int64(clamping: metadata.modified),
            expires: metadata.expires.map { Int64(clamping: $0) }, version: Int64(clamping: summary.version),
            revision: summary.revision.description, biometrySet: metadata.biometrySet,
            fields: Keychain.Field.all(of: metadata), deleted: metadata.deleted.map { Int64(clamping: $0) })
    }
}

extension Keychain.Field {
    /// - Returns: nil for the field `secret` alone.
    fileprivate static func all(of metadata: Metadata) -> [Keychain.Field]? {
        let fields = metadata.fields
        guard fields.map(\.name) != [.secret] else { return nil }
        return fields.map {
            Keychain.Field(
                name: $0.name.text, kind: $0.kind, set: Int64(clamping: $0.set), biometrySet: $0.biometrySet)
        }
    }
}

extension ItemSummary {
    /// The bytes of its names and attributes, as of ``Keychain/Item``.
    var textSize: Int {
        metadata.attributes.reduce(
            metadata.service.utf8.count + metadata.account.utf8.count + (metadata.label?.utf8.count ?? 0)
                + (metadata.comment?.utf8.count ?? 0)
        ) { $0 + $1.key.utf8.count + $1.value.utf8.count }
            + metadata.fields.reduce(0) { $0 + $1.name.text.utf8.count }
    }
}
