import Authorization
import Vault

/// Removes NV indexes from the TPM. Removing an index destroys everything that depends on it. An index that any vault
/// of the registry needs therefore stays, whatever a file beside a vault says.
extension VaultDependencies {
    /// Removes the indexes of a record's keys.
    ///
    /// - Returns: false if an index is left.
    @discardableResult
    func removeIndexes(of record: RegistryRecord) async -> Bool {
        await removing { (indexes, isInUse) throws(SealerError) in
            if let counter = record.counter, !isInUse(counter.handle) { try indexes.remove(counter) }
            if let generation = record.generation, !isInUse(generation.handle) { try indexes.remove(generation) }
            if let index = record.binding?.index, !isInUse(index.handle) { try indexes.remove(.password(index)) }
        }
    }

    /// Removes the index of a binding or of a tie to the boot.
    @discardableResult
    func removeIndex(_ index: VaultIndex) async -> Bool {
        await removing { (indexes, isInUse) throws(SealerError) in
            if !isInUse(index.pin.handle) { try indexes.remove(index) }
        }
    }

    /// - Parameter body: gets a function that tells whether any record of the registry names an index.
    private func removing(
        _ body: @escaping @Sendable (any IndexRemoval, _ isInUse: (UInt32) -> Bool) throws(SealerError) -> Void
    ) async -> Bool {
        let registry = registry
        do throws(SealerError) {
            try await sealer.use { (sealer) throws(SealerError) in
                // A sealer without indexes has none to remove.
                guard let indexes = sealer.indexes else { return }
                let inUse: Set<UInt32>
                do throws(RegistryError) { inUse = try registry.indexHandles() } catch {
                    // An unreadable record may need any index.
                    throw SealerError(.other, "the registry does not say which indexes are in use: \(error.reason)")
                }
                try body(indexes) { inUse.contains($0) }
            }
            return true
        } catch { return false }
    }
}
