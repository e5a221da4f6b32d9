import BrokerProtocol
import Vault

/// Items as clients see them: everything but the secret.
extension Keychain.Item {
    init(_ summary: ItemSummary) {
        let metadata = summary.metadata
        self.init(
            id: summary.id.description, service: metadata.service, account: metadata.account, label: metadata.label,
            comment: metadata.comment, attributes: metadata.attributes, access: WireAccess.encode(summary.access),
            created: Int64(clamping: metadata.created), modified: Int64(clamping: metadata.modified),
            expires: metadata.expires.map { Int64(clamping: $0) }, version: Int64(clamping: summary.version),
            biometrySet: metadata.biometrySet)
    }
}
