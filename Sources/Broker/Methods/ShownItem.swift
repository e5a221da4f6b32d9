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
