/// The TPM's NV indexes that the registry's records name, also those of the vaults that root has set aside. Removing
/// such an index would destroy what a vault depends on.
public struct NamedIndexes: Sendable {
    private let present: [RegistryRecord]
    private let setAside: [RegistryRecord]

    /// - Throws: as ``Registry/record(for:)``, because nobody knows which indexes an unreadable record needs.
    init(in registry: Registry) throws(RegistryError) {
        // In this order, a record that root sets aside meanwhile is not missed.
        present = try registry.records()
        setAside = try registry.setAsideRecords()
    }

    /// Whether a record names this handle, for an index of any kind. Counters have nothing else that tells them apart.
    public func has(handle: UInt32) -> Bool { anyRecord { $0.indexHandles.contains(handle) } }

    /// Whether a record names this very index. Another index at its handle has another policy.
    public func has(_ index: IndexPin) -> Bool { anyRecord { $0.policyIndexes.contains(index) } }

    /// Whether a record names this very index, the owner's present one apart.
    public func has(_ index: IndexPin, besidesPresentOf owner: Owner) -> Bool {
        present.contains { $0.owner != owner && $0.policyIndexes.contains(index) }
            || setAside.contains { $0.policyIndexes.contains(index) }
    }

    /// Whether another vault's record names this handle.
    public func has(handle: UInt32, besides vault: VaultID) -> Bool {
        anyRecord { $0.vault != vault && $0.indexHandles.contains(handle) }
    }

    private func anyRecord(_ isNaming: (RegistryRecord) -> Bool) -> Bool {
        present.contains(where: isNaming) || setAside.contains(where: isNaming)
    }
}

extension Registry {
    /// The indexes that all records name.
    ///
    /// - Throws: as ``record(for:)``.
    public func namedIndexes() throws(RegistryError) -> NamedIndexes { try NamedIndexes(in: self) }
}
