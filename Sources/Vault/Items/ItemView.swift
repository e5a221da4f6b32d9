import Authorization
import Cryptography

/// An item as one transaction sees it. It is judged there and then read, without being looked for again.
public struct ItemView: ~Copyable {
    private let stored: StoredItem
    private let snapshot: Snapshot
    private let vault: OpenVault

    fileprivate init(_ stored: StoredItem, _ snapshot: Snapshot, _ vault: OpenVault) {
        self.stored = stored
        self.snapshot = snapshot
        self.vault = vault
    }

    public var item: ItemSummary { stored.summary }

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
        applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> SecretBytes {
        try checkExpiry()
        return try vault.open(
            stored, snapshot.sealedValue(of: stored), classKeys: classKeys, agreements: agreements,
            applicationPassword: applicationPassword)
    }

    private func checkExpiry() throws(VaultError) {
        guard !stored.summary.metadata.isExpired(at: vault.now()) else { throw .expired(stored.summary) }
    }
}

extension OpenVault {
    /// Finds one item as ``find(service:account:kind:includingExpired:)`` does, and gives it to `body` within the same transaction. So its place in the tree is
    /// proved once, and nothing changes between judging and reading.
    ///
    /// - Parameter body: calls nothing else of the vault.
    /// - Throws: as `find`, and what `body` throws.
    public func look<Value>(
        service: String, account: String?, kind: ItemKind = .generic, includingExpired: Bool = false,
        _ body: (borrowing ItemView) throws -> Value
    ) throws -> Value {
        try read { (snapshot) throws(VaultError) -> Result<Value, any Error> in
            let stored = try one(
                of: snapshot.items(service: service, account: account, kind: kind), includingExpired: includingExpired)
            let view = ItemView(stored, snapshot, self)
            return Result { try body(view) }
        }.get()
    }
}
