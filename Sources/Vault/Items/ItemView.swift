import Authorization
import Cryptography
import Item

/// An item as one transaction sees it. It is judged there and then read, without being looked for again.
public struct ItemView: ~Copyable {
    private let stored: ItemValue
    /// The name that the item had with this value, if the value is one that it had before. A person knows such a
    /// value by this name: the item may have been renamed since without anybody's consent.
    public let formerName: FormerName?
    private let snapshot: Snapshot
    private let vault: OpenVault

    /// - Parameter former: a former value to look at instead of the item's present one.
    fileprivate init(
        _ item: StoredItem, former: FormerItem?, _ snapshot: Snapshot, _ vault: OpenVault
    ) throws(VaultError) {
        if let former { stored = former.stored } else { stored = try snapshot.value(of: item) }
        formerName = former?.name
        self.snapshot = snapshot
        self.vault = vault
    }

    /// The item under its present name.
    public var item: ItemSummary { stored.item }
    /// Whether the value is one that the item had before.
    public var isFormer: Bool { formerName != nil }

    /// What it takes to read the item.
    ///
    /// - Throws: as ``OpenVault/readPlan(for:)``, but never `.changed`.
    public func plan() throws(VaultError) -> ReadPlan {
        try checkExpiry()
        return try vault.plan(of: stored)
    }

    /// The size of the item's sealed value, in bytes. The value itself is no longer.
    ///
    /// - Throws: `.damaged`; `.storage`.
    public func sealedSize() throws(VaultError) -> Int { try snapshot.sealedValue(of: stored).count }

    /// The item's value.
    ///
    /// - Throws: as ``OpenVault/value(of:classKeys:agreements:applicationPassword:)``.
    public func value(
        classKeys: @autoclosure () -> ClassKeys, agreements: [ObjectRole: SecretBytes] = [:],
        applicationPassword: StretchedPassword? = nil, keeper: (any ItemKeyKeeper)? = nil
    ) throws(VaultError) -> SecretBytes {
        try checkExpiry()
        return try vault.open(
            stored, snapshot.sealedValue(of: stored), classKeys: classKeys, agreements: agreements,
            applicationPassword: applicationPassword, keeper: !isFormer && stored.hasKeptKey ? keeper : nil)
    }

    private func checkExpiry() throws(VaultError) {
        guard !stored.item.metadata.isExpired(at: vault.now()) else { throw .expired(stored.item) }
    }
}

extension OpenVault {
    /// Finds one item as ``find(service:account:kind:includingExpired:)`` does, and gives it to `body` within the same transaction. So its place in the tree is
    /// proved once, and nothing changes between judging and reading.
    ///
    /// - Parameters:
    ///   - version: looks at the item with a value that it had before, under the access control of that time. nil, or
    ///     the item's own version: at the item as it is.
    ///   - body: calls nothing else of the vault.
    /// - Throws: as `find`, and what `body` throws. `.notFound` if the item has no value of that version.
    public func look<Value>(
        service: String, account: String?, kind: ItemKind = .genericPassword, includingExpired: Bool = false,
        version: UInt64? = nil, _ body: (borrowing ItemView) throws -> Value
    ) throws -> Value {
        try read { (snapshot) throws(VaultError) -> Result<Value, any Error> in
            let stored = try one(
                of: snapshot.items(service: service, account: account, kind: kind), includingExpired: includingExpired)
            var former: FormerItem?
            if let version, version != stored.summary.version {
                former = try self.former(version, of: stored, snapshot)
            }
            let view = try ItemView(stored, former: former, snapshot, self)
            let result = Result { try body(view) }
            // Damage ends trust in what was verified before, so `read` must hear of it.
            if case .failure(let error as VaultError) = result, error.code == .damaged { throw error }
            return result
        }.get()
    }
}
