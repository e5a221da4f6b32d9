/// The size limits of one vault. They keep a list from filling everybody's memory, and a vault from filling the disk
/// (docs/broker-protocol.md, "Limits").
struct Room: Sendable {
    var items: UInt64 = 10_000
    /// All item records together, in bytes, without the values. A list is made from these.
    var records: Int64 = 16 << 20
    /// The used part of the file, in bytes.
    var file: Int64 = 1 << 30

    /// - Throws: `.limitExceeded` if there are too many items, or if their records are too large together.
    func checkRecords(_ rows: Rows, items count: UInt64) throws(VaultError) {
        // Measuring the records reads all of them. A file smaller than the limit needs no measuring.
        let isSmall = try rows.fileBytes() <= records
        let fits = try isSmall ? true : rows.recordBytes() <= records
        guard count <= items, fits else {
            throw VaultError(
                .limitExceeded,
                "there is no room for more: a keychain has \(items) items at most, and \(records >> 20) MiB of names and attributes; remove what is not needed"
            )
        }
    }

    /// - Throws: `.limitExceeded` if the file is too large.
    func checkFile(_ rows: Rows) throws(VaultError) {
        guard try rows.fileBytes() <= file else {
            throw VaultError(
                .limitExceeded, "a keychain's file has \(file >> 30) GiB at most; remove what is not needed")
        }
    }
}
