import BrokerProtocol
import Coffer

/// What a fake broker answers, as commands have it.
enum ReadItems {
    static func of(_ items: [BrokerProtocol.Keychain.Item]) throws -> [ItemAttributes] {
        try items.map { item in try ItemAttributes(item) }
    }

    /// A value that an item had before.
    static func former(set: Int64, until: Int64, _ access: AccessControl) -> ItemVersion {
        ItemVersion(
            version: 3, set: .init(milliseconds: set), keptUntil: .init(milliseconds: until), access: access)
    }
}
