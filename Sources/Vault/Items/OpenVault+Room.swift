extension OpenVault {
    /// Checks that one more item has room, for who would otherwise find out too late. What is in the bin makes room.
    ///
    /// - Throws: `.limitExceeded`, as storing the item would.
    public func checkRoom() throws(VaultError) {
        try read { (snapshot) throws(VaultError) in
            let bin = try snapshot.hasBin ? snapshot.bin() : []
            let fits = try room.fits(snapshot.rows, items: UInt64(snapshot.header.itemCount) + 1 - UInt64(bin.count)) {
                () throws(VaultError) in
                let binned = bin.reduce(Int64(0)) { $0 + Int64($1.item.record.encoded.count) }
                return try snapshot.rows.recordBytes() - binned + Self.shortRecord
            }
            guard fits else { throw room.manyRecords }
        }
    }

    /// More than the record of an item takes that has short names and no attributes, in bytes.
    private static let shortRecord: Int64 = 4096
}
