import Coffer
import FoundationEssentials
import Import

/// What the vault has under the names of an import.
struct VaultComparison {
    private let session: CommandSession
    private let noPrompt: Bool
    /// Whether a person may be asked for values that are guarded. Somebody is looked for only if there are any.
    private let mayAsk: Bool
    private(set) var present: [ItemName: ItemAttributes] = [:]

    init(_ session: CommandSession, noPrompt: Bool, mayAsk: Bool) throws(KeychainError) {
        self.session = session
        self.noPrompt = noPrompt
        self.mayAsk = mayAsk
        for item in try session.client.list(service: nil) {
            // The broker's list has each name once.
            present[item.name] = item
        }
    }

    static func name(_ item: ImportedItem) -> ItemName {
        // Kinds were checked before.
        ItemName(
            service: item.service, account: item.account,
            itemClass: item.kind.flatMap(ItemKind.init(rawValue:)) ?? .genericPassword)
    }

    subscript(_ item: ImportedItem) -> ItemAttributes? { present[Self.name(item)] }

    /// The values that can be read here.
    func values(of items: [ItemAttributes]) throws(KeychainError) -> [ItemName: [UInt8]] {
        var values: [ItemName: [UInt8]] = [:]
        let reading = JointReading(
            session: session, noPrompt: noPrompt, reason: "Compare with an import",
            purpose: "comparing with your vault",
            command: session.unlockCommand)
        // The broker gives the value of an expired item to nobody, and then gives none of the others either.
        let now = Date()
        let items = items.filter { !$0.isExpired(at: now) }
        let open = items.filter { $0.access.requirements.isEmpty }
        // An application password would have to be typed for each, so such a value counts as another one.
        let guarded = items.filter {
            !$0.access.requirements.isEmpty && !$0.access.requirements.contains(.applicationPassword)
        }
        let asks = mayAsk && !guarded.isEmpty && session.mayAsk(noPrompt: noPrompt)
        for group in [open, asks ? guarded : []] {
            for found in try reading.values(of: group) {
                values[found.attributes.name] = found.value
            }
        }
        return values
    }
}
