import Authorization
import Vault

/// Removes NV indexes from the TPM. Removing an index destroys everything that depends on it. So an index stays
/// if any vault in the registry needs it, or any that root has set aside. A file beside a vault cannot change that.
extension VaultDependencies {
    /// Removes the indexes of a record's keys.
    ///
    /// - Returns: false if an index is left that these keys depend on: the TPM or an unreadable record kept it from
    ///   being removed, or a record other than the owner's present one names it. A counter that is left opens nothing.
    @discardableResult
    func removeIndexes(of record: RegistryRecord) async -> Bool {
        await removing { (indexes, named) throws(SealerError) -> Bool in
            if let index = record.binding?.index, !named.has(index) { try indexes.remove(.password(index)) }
            // All counters look alike. One that is there after its generation has gone is another vault's.
            var isCounterOurs = true
            if let generation = record.generation { isCounterOurs = try indexes.has(generation) }
            if let counter = record.counter, isCounterOurs, !named.has(handle: counter.handle) {
                try indexes.remove(counter)
            }
            // The generation goes last, because the counter is known by it.
            if let generation = record.generation, !named.has(generation) { try indexes.remove(generation) }
            return !record.policyIndexes.contains { named.has($0, besidesPresentOf: record.owner) }
        }
    }

    /// Removes the index of a binding or of a tie to the boot.
    ///
    /// - Returns: false if the TPM or an unreadable record kept it from being removed.
    @discardableResult
    func removeIndex(_ index: VaultIndex) async -> Bool {
        await removing { (indexes, named) throws(SealerError) -> Bool in
            if !named.has(index.pin) { try indexes.remove(index) }
            return true
        }
    }

    /// - Parameter body: gets the indexes that records name, and tells whether nothing is left.
    private func removing(
        _ body: @escaping @Sendable (any IndexRemoval, _ named: NamedIndexes) throws(SealerError) -> Bool
    ) async -> Bool {
        let registry = registry
        do throws(SealerError) {
            return try await sealer.use { (sealer) throws(SealerError) -> Bool in
                // A sealer without indexes has none to remove.
                guard let indexes = sealer.indexes else { return true }
                let named: NamedIndexes
                do throws(RegistryError) { named = try registry.namedIndexes() } catch {
                    // An unreadable record may need any index.
                    throw SealerError(.other, "the registry does not say which indexes are in use: \(error.reason)")
                }
                return try body(indexes, named)
            }
        } catch { return false }
    }
}
