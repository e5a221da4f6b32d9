import Authorization
import Cryptography
import Item

/// An item as one transaction sees it. It is judged there and then read, without being looked for again.
public struct ItemView: ~Copyable {
    /// Of the fields that were asked for, at least one.
    private let stored: [ItemValue]
    /// The item under its present name.
    public let item: ItemSummary
    /// The name that the item had with this value, if the value is one that it had before. A person knows such a
    /// value by this name: the item may have been renamed since without anybody's consent.
    public let formerName: FormerName?
    private let snapshot: Snapshot
    private let vault: OpenVault

    /// - Parameter former: a former value to look at instead of the item's present ones.
    fileprivate init(
        _ item: StoredItem, _ choice: FieldChoice, former: FormerItem?, _ snapshot: Snapshot, _ vault: OpenVault
    ) throws(VaultError) {
        if let former { stored = [former.stored] } else { stored = try snapshot.values(of: item, choice) }
        self.item = former?.summary ?? item.summary
        formerName = former?.name
        self.snapshot = snapshot
        self.vault = vault
    }

    /// Whether the value is one that the item had before.
    public var isFormer: Bool { formerName != nil }

    /// The fields that are looked at.
    package var fields: [FieldName] { stored.map(\.fieldName) }

    /// What it takes to read the fields.
    ///
    /// - Throws: as ``OpenVault/readPlan(for:_:)``, but never `.changed`.
    public func plan() throws(VaultError) -> ReadPlan {
        try checkExpiry()
        return try vault.plan(of: stored)
    }

    /// The size of the sealed values, in bytes. The values themselves are no longer.
    ///
    /// - Throws: `.damaged`; `.storage`.
    public func sealedSize() throws(VaultError) -> Int {
        var size = 0
        for value in stored { size += try snapshot.sealedValue(of: value).count }
        return size
    }

    /// The values of the fields.
    ///
    /// - Throws: as ``OpenVault/value(of:_:classKeys:agreements:applicationPassword:keeper:)``.
    package func values(
        classKeys: @autoclosure () -> ClassKeys, agreements: Agreements = [:],
        applicationPassword: StretchedPassword? = nil, keeper: (any ItemKeyKeeper)? = nil
    ) throws(VaultError) -> [FieldValue] {
        try checkExpiry()
        var values: [FieldValue] = []
        for value in stored {
            values.append(
                FieldValue(
                    value.fieldName,
                    try vault.open(
                        value, snapshot.sealedValue(of: value), classKeys: classKeys, agreements: agreements,
                        applicationPassword: applicationPassword,
                        keeper: !isFormer && value.hasKeptKey ? keeper : nil)))
        }
        return values
    }

    private func checkExpiry() throws(VaultError) {
        guard !item.metadata.isExpired(at: vault.now()) else { throw .expired(item) }
    }
}

extension OpenVault {
    /// Finds one item as ``find(service:account:kind:includingExpired:)`` does, and gives it to `body` within the same transaction. So its place in the tree is
    /// proved once, and nothing changes between judging and reading.
    ///
    /// - Parameters:
    ///   - choice: the fields that are read. nil: the field of the version; without a version, `secret`.
    ///   - version: looks at the item with the value of this version. If a field had it before, that is under the access
    ///     control of that time. nil: at the item as it is.
    ///   - body: calls nothing else of the vault.
    /// - Throws: as `find`, and what `body` throws. `.notFound` if the item has no value of that version, `.noField` if it
    ///   has not the field.
    package func look<Value>(
        service: String, account: String?, kind: ItemKind = .genericPassword, _ choice: FieldChoice? = nil,
        includingExpired: Bool = false, version: UInt64? = nil, _ body: (borrowing ItemView) throws -> Value
    ) throws -> Value {
        try read { (snapshot) throws(VaultError) -> Result<Value, any Error> in
            let stored = try one(
                of: snapshot.items(service: service, account: account, kind: kind), includingExpired: includingExpired)
            var former: FormerItem?
            var choice = choice
            if let version {
                let present = try snapshot.values(of: stored).first { $0.field.version == version }
                former = present == nil ? try self.former(version, of: stored, snapshot) : nil
                let named = FieldChoice.one(present?.fieldName ?? former?.fieldName ?? .secret)
                guard choice == nil || choice == named else { throw Self.noVersion(version) }
                choice = named
            }
            let view = try ItemView(stored, choice ?? .one(.secret), former: former, snapshot, self)
            let result = Result { try body(view) }
            // Damage ends trust in what was verified before, so `read` must hear of it.
            if case .failure(let error as VaultError) = result, error.code == .damaged { throw error }
            return result
        }.get()
    }
}
