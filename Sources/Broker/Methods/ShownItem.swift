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
            revision: summary.revision.description, biometrySet: metadata.biometrySet)
    }
}

extension ItemSummary {
    /// The bytes of its names and attributes, as of ``Keychain/Item``.
    var textSize: Int {
        metadata.attributes.reduce(
            metadata.service.utf8.count + metadata.account.utf8.count + (metadata.label?.utf8.count ?? 0)
                + (metadata.comment?.utf8.count ?? 0)
        ) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}
