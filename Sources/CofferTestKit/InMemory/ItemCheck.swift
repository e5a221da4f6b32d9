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

    /// The sizes of what a call stores.
    static func sizes(_ item: NewItem, _ name: ItemName) throws(KeychainError) {
        try limited { () throws(ItemLimitError) in
            try ItemLimits.check(valueOf: item.value.count, of: name.itemClass)
        }
        try Self.name(name)
        try texts(label: item.label, comment: item.comment, attributes: item.attributes ?? [:])
    }

    static func setting(_ name: ItemName, _ access: AccessControl) throws(KeychainError) {
        guard name.itemClass != .setting || access == .setting else {
            throw KeychainError(
                .invalidArgument, "a setting is readable after the first unlock, and requires nothing else",
                advice: "leave its access control out, or store a secret of another kind")
        }
    }

    static func setting(_ name: ItemName, has field: FieldName) throws(KeychainError) {
        guard name.itemClass != .setting || field == .secret else {
            throw KeychainError(
                .invalidArgument, "a setting has the field secret alone", advice: "make a setting of its own")
        }
    }

    /// - Parameter count: how many fields the item would have.
    static func fields(_ count: Int) throws(KeychainError) {
        guard count <= ItemLimits.fields else {
            throw KeychainError(.limitExceeded, "an item has \(ItemLimits.fields) fields at most")
        }
    }

    /// A person is asked once for all fields of an item, and each takes its own signatures.
    static func signatures(_ fields: Int, _ access: AccessControl) throws(KeychainError) {
        let most = access.ways.map(\.signatures).max() ?? 0
        guard fields * most <= ItemLimits.signatures else {
            throw KeychainError(
                .limitExceeded,
                "an item that requires this has \(ItemLimits.signatures / max(1, most)) fields at most",
                advice: "make a second item for the others")
        }
    }

    static func condition(_ condition: ItemChange.Condition) throws(KeychainError) {
        guard case .isUnchanged(let revision) = condition, !MemoryRevision.isOne(revision) else { return }
        throw KeychainError(
            .invalidArgument, "this is not the revision of an item", advice: "take it from the item")
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

extension Set<AccessControl.Requirement> {
    /// How many signatures it takes to meet all of these. An application password takes none.
    var signatures: Int { subtracting([.applicationPassword]).count }
}

/// What a vault in memory keeps, as a new vault of the broker's does.
enum MemoryLimits {
    static let formerValues = ItemLimits.formerValues.usual
    /// How long a former value is kept, in milliseconds.
    static let formerTime = Int64(ItemLimits.formerDays.usual) * 86_400_000
    /// The events that wait for one reader.
    static let events = 256
    /// The readers of events, of all vaults.
    static let readers = 16
    /// The application passwords that one list of changes has.
    static let passwords = 16
}
