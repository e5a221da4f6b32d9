import Coffer

/// Refuses what the broker's vaults refuse, by the same table of limits.
enum ItemCheck {
    static func name(_ name: ItemName) throws(KeychainError) {
        try limited { () throws(ItemLimitError) in
            try ItemLimits.check(service: name.service, account: name.account)
        }
    }

    static func texts(label: String?, comment: String?, attributes: [String: String]) throws(KeychainError) {
        try limited { () throws(ItemLimitError) in
            try ItemLimits.check(label: label, comment: comment, attributes: attributes)
        }
    }

    static func value(_ value: [UInt8], of kind: ItemClass = .genericPassword) throws(KeychainError) {
        try limited { () throws(ItemLimitError) in try ItemLimits.check(valueOf: value.count, of: kind) }
    }

    static func setting(_ name: ItemName, _ access: AccessControl, _ field: FieldName) throws(KeychainError) {
        guard name.itemClass != .setting || access == .setting && field == .secret else {
            throw KeychainError(
                .invalidArgument, "a setting is readable after the first unlock, and requires nothing else",
                advice: "leave its access control out, or store a secret of another kind")
        }
    }

    static func applicationPassword(_ password: [UInt8]) throws(KeychainError) {
        try limited { () throws(ItemLimitError) in try ItemLimits.check(applicationPasswordOf: password.count) }
    }

    static func version(_ version: Int) throws(KeychainError) {
        guard version > 0 else { throw KeychainError(.invalidArgument, "an item's versions count from 1") }
    }

    static func reason(_ reason: String?) throws(KeychainError) {
        try limited { () throws(ItemLimitError) in try ItemLimits.check(reason: reason) }
    }

    private static func limited(_ check: () throws(ItemLimitError) -> Void) throws(KeychainError) {
        do throws(ItemLimitError) { try check() } catch { throw KeychainError(error) }
    }
}

/// What a vault in memory keeps, as a new vault of the broker's does.
enum MemoryLimits {
    static let formerValues = ItemLimits.formerValues.usual
    /// How long a former value is kept, in milliseconds.
    static let formerTime = Int64(ItemLimits.formerDays.usual) * 86_400_000
    /// The events that wait for one reader.
    static let events = 256
}
