import Item

extension Change {
    /// Makes room for an item of the circle, in the bin if need be. What others write fills no vault, and stops none.
    ///
    /// - Parameter values: the bytes of the values that are stored.
    /// - Returns: whether there is room.
    func makeRoom(for metadata: Metadata, values: Int, over old: StoredItem?) throws(VaultError) -> Bool {
        let growth = max(ItemRecord.length(of: metadata) - (old?.record.encoded.count ?? 0), 0)
        // What takes no more room than before always has it.
        guard old == nil || growth > 0 || values > 0 else { return true }
        func fits() throws(VaultError) -> Bool {
            try room.fits(
                rows, items: UInt64(next.itemCount) + (old == nil ? 1 : 0), record: growth, values: values,
                recordBytes: measured)
        }
        try makeRoomInBin(besides: old?.summary.id, fits)
        guard try fits() else { return false }
        return try takeSettingRoom(for: metadata, values: values, over: old)
    }
}
