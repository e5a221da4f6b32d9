/// How much one vault holds, so that nobody can have a list made that fills the memory of all, nor fill their disk (docs/broker-protocol.md, "Limits").
struct Room: Sendable {
    var items: UInt64 = 10_000
    /// All records of its items together, in bytes, without the values: what a list is made of.
    var records: Int64 = 16 << 20
    /// What is in use of its file, in bytes.
    var file: Int64 = 1 << 30

    /// Throws `.limitExceeded` where there are more items, or more of them, than that.
    func checkRecords(_ rows: Rows, items count: UInt64) throws(VaultError) {
        // Measuring the records takes a look at each; most files are smaller than all that their records may be.
        let isSmall = try rows.fileBytes() <= records
        let fits = try isSmall ? true : rows.recordBytes() <= records
        guard count <= items, fits else {
            throw VaultError(
                .limitExceeded,
                "there is no room for more: a keychain has \(items) items at most, and \(records >> 20) MiB of names and attributes; remove what is not needed"
            )
        }
    }

    /// Throws `.limitExceeded` where the file is larger than that.
    func checkFile(_ rows: Rows) throws(VaultError) {
        guard try rows.fileBytes() <= file else {
            throw VaultError(
                .limitExceeded, "a keychain's file has \(file >> 30) GiB at most; remove what is not needed")
        }
    }
}
