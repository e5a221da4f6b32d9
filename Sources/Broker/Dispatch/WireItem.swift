import BrokerProtocol
import Varlink
import Vault

/// Items as clients see them: everything but the secret.
extension Keychain.Item {
    init(_ summary: ItemSummary) {
        let metadata = summary.metadata
        self.init(
            id: summary.id.description, service: metadata.service, account: metadata.account,
            kind: WireKind.encode(metadata.kind), label: metadata.label,
            comment: metadata.comment, attributes: metadata.attributes, access: WireAccess.encode(summary.access),
            created: Int64(clamping: metadata.created), modified: Int64(clamping: metadata.modified),
            expires: metadata.expires.map { Int64(clamping: $0) }, version: Int64(clamping: summary.version),
            revision: summary.revision.description, biometrySet: metadata.biometrySet)
    }
}

/// Converts kinds of items between messages and the vault.
enum WireKind {
    /// The kind of the one item that a call names.
    static func decode(_ wire: Keychain.ItemKind?) -> ItemKind {
        switch wire ?? .generic {
        case .generic: .generic
        case .internet: .internet
        case .key: .key
        case .certificate: .certificate
        case .file: .file
        }
    }

    /// The kind that a list is restricted to; nil for all kinds.
    static func filter(_ wire: Keychain.ItemKind?) -> ItemKind? { wire.map { decode($0) } }

    static func encode(_ kind: ItemKind) -> Keychain.ItemKind {
        switch kind {
        case .generic: .generic
        case .internet: .internet
        case .key: .key
        case .certificate: .certificate
        case .file: .file
        }
    }
}

/// Decodes revisions in messages.
enum WireRevision {
    /// - Returns: nil if the call names none.
    static func decode(_ text: String?) throws(Fault) -> ItemRevision? {
        guard let text else { return nil }
        guard let revision = ItemRevision(text) else {
            throw Fault(.invalidArgument, "ifRevision is not the revision of an item", advice: "take it from the item")
        }
        return revision
    }
}
