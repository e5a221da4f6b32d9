import BrokerProtocol
import Coffer
import Import

/// What the vault has under the names of an import.
struct VaultComparison {
    struct Name: Hashable {
        var service: String
        var account: String
        var kind: Keychain.ItemKind
    }

    private let session: CommandSession
    private let noPrompt: Bool
    /// Whether a person may be asked for values that are guarded.
    private let mayAsk: Bool
    private(set) var present: [Name: Keychain.Item] = [:]

    init(_ session: CommandSession, noPrompt: Bool, mayAsk: Bool) throws(KeychainError) {
        self.session = session
        self.noPrompt = noPrompt
        self.mayAsk = mayAsk
        for item in try session.client.list(service: nil) {
            // The broker's list has each name once.
            present[Name(service: item.service, account: item.account, kind: item.kind)] = item
        }
    }

    static func name(_ item: ImportedItem) -> Name {
        // Kinds were checked before.
        Name(
            service: item.service, account: item.account,
            kind: item.kind.flatMap(Keychain.ItemKind.init(rawValue:)) ?? .generic)
    }

    subscript(_ item: ImportedItem) -> Keychain.Item? { present[Self.name(item)] }

    /// The values that can be read here, in Base64.
    func values(of items: [Keychain.Item]) throws(KeychainError) -> [Name: String] {
        var values: [Name: String] = [:]
        let reading = JointReading(
            session: session, noPrompt: noPrompt, reason: "Compare with an import",
            purpose: "comparing with your vault",
            command: session.unlockCommand)
        let open = items.filter { $0.access.require.isEmpty }
        // An application password would have to be typed for each, so such a value counts as another one.
        let guarded = items.filter { !$0.access.require.isEmpty && !$0.access.require.contains(.appPassword) }
        for group in [open, mayAsk ? guarded : []] {
            for found in try reading.values(of: group) {
                values[Name(service: found.item.service, account: found.item.account, kind: found.item.kind)] =
                    found.value
            }
        }
        return values
    }
}
