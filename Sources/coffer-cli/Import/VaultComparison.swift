import BrokerProtocol
import Coffer
import Import

/// What the vault has under the names of an import.
struct VaultComparison {
    /// Compared byte by byte, as the broker does. Two spellings of one text in Unicode are two names.
    struct Name: Hashable {
        private let service: [UInt8]
        private let account: [UInt8]
        private let kind: ItemKind

        init(_ service: String, _ account: String, _ kind: ItemKind) {
            self.service = Array(service.utf8)
            self.account = Array(account.utf8)
            self.kind = kind
        }

        init(_ item: Keychain.Item) { self.init(item.service, item.account, item.kind) }
    }

    private let session: CommandSession
    private let noPrompt: Bool
    /// Whether a person may be asked for values that are guarded. Somebody is looked for only if there are any.
    private let mayAsk: Bool
    private(set) var present: [Name: Keychain.Item] = [:]

    init(_ session: CommandSession, noPrompt: Bool, mayAsk: Bool) throws(KeychainError) {
        self.session = session
        self.noPrompt = noPrompt
        self.mayAsk = mayAsk
        for item in try session.client.list(service: nil) {
            // The broker's list has each name once.
            present[Name(item)] = item
        }
    }

    static func name(_ item: ImportedItem) -> Name {
        // Kinds were checked before.
        Name(item.service, item.account, item.kind.flatMap(ItemKind.init(rawValue:)) ?? .genericPassword)
    }

    subscript(_ item: ImportedItem) -> Keychain.Item? { present[Self.name(item)] }

    /// The values that can be read here, in Base64.
    func values(of items: [Keychain.Item]) throws(KeychainError) -> [Name: String] {
        var values: [Name: String] = [:]
        let reading = JointReading(
            session: session, noPrompt: noPrompt, reason: "Compare with an import",
            purpose: "comparing with your vault",
            command: session.unlockCommand)
        // The broker gives the value of an expired item to nobody, and then gives none of the others either.
        let now = Keychain.Item.now
        let items = items.filter { !$0.isExpired(at: now) }
        let open = items.filter { $0.access.requirements.isEmpty }
        // An application password would have to be typed for each, so such a value counts as another one.
        let guarded = items.filter {
            !$0.access.requirements.isEmpty && !$0.access.requirements.contains(.applicationPassword)
        }
        let asks = mayAsk && !guarded.isEmpty && session.mayAsk(noPrompt: noPrompt)
        for group in [open, asks ? guarded : []] {
            for found in try reading.values(of: group) {
                values[Name(found.item)] = found.value
            }
        }
        return values
    }
}
